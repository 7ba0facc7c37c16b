"""English: normalisation, words, lemmas, and the concepts of sentences."""
