"""Stage split of concept sets: train gives way to dev and test, and each set gets its sentences."""
