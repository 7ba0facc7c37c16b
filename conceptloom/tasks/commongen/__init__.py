"""The work of recipe `commongen` on one bucket."""
