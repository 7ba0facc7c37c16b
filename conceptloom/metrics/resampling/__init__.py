"""How certain a score is: resamples of its units."""
