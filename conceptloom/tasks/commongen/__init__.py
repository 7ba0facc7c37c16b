"""The tasks of recipe `commongen`."""
