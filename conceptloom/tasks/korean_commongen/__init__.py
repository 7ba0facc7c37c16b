"""The tasks of recipe `korean-commongen`."""
