"""Generative-commonsense data sets from raw Korean and English text."""

__version__ = "0.1.0"
