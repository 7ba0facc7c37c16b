"""The metrics, a module for each idea."""
