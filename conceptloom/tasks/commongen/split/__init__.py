"""Stage split of concept sets: drops train sets too close to dev and test, and gives each set its sentences."""
