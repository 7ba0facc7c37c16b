"""The HTML page of an evaluation: `document` lays it out, `sentences` shows single ones, `writing` writes files."""
