"""English: normalising, words, lemmas, and the concepts of sentences."""
