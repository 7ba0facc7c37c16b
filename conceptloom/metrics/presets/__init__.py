"""Named sets of metrics."""
