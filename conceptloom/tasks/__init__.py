"""The work of the stages on one bucket each; see `base`."""
