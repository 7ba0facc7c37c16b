"""The stages of recipe `commongen` as PTransforms."""
