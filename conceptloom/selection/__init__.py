"""Sentence selection: postings, their cap, and the union of what each posting keeps (Korean CommonGen, section 3.1)."""
