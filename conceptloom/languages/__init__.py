"""What depends on the language of a corpus: normalising, tagging, concept rules."""
