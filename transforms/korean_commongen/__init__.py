"""The stages of recipe `korean-commongen` as PTransforms."""
