"""Estimating a whole corpus from a sample: how to draw it, and how what was counted in it grows."""
