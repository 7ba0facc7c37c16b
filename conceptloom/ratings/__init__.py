"""People's ratings of sentences: `reading` reads them, `agreement` compares raters, `pairwise` ranks systems.

`correlation` says how well metrics agree with people; `report` puts everything together as JSON, CSV and HTML.
"""
