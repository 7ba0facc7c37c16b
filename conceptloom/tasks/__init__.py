"""The work of each stage on one bucket; see `base`."""
