"""What is computed of items: a module for each measure, a folder for the measures that only one preset uses.

`sums` holds the arithmetic of scores that can be resampled; `mecab_ko` cuts Korean into morphemes.
"""
