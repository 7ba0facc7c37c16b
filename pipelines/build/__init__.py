"""The engine of a build, and the contract that a recipe fulfils."""
