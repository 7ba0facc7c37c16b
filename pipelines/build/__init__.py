"""The engine of a build and the contract of a recipe."""
