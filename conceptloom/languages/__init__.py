"""What depends on the language of a corpus: normalisation, tagging, concept rules."""
