"""Sentence selection: postings, their cap, and the routes of their rows (Korean CommonGen, section 3.1)."""
