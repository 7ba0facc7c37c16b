"""The measures of preset `sound`: `overlap` (BLEU, chrF++, ROUGE), `concepts` (coverage, order), `repetition`.

`language` says how each language is cut into words and concepts; `rows` makes the rows that they keep.
"""
