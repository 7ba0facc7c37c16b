"""What is read before anything is scored: `references` and `predictions`, joined to items by `pairing`.

`answers` reads answers to questions (CSV). Anything odd about a file is counted in `input_notes`.
"""
