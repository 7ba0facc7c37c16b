"""PTransforms that wire the core's tasks into Beam pipelines."""
