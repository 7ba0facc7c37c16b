"""Concept sets, runs, blocks and ids as numpy and Arrow arrays."""
