"""The work of recipe `korean-commongen` on one bucket."""
