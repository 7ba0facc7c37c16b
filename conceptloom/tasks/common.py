"""Imports the tasks that all recipes share."""


def load_common() -> None:
    """Imports the tasks that all recipes share, and with them numpy and Arrow, to prepare a worker for its first call.

    Not imported at the top of the module, so that a runner can name this function without importing them itself.
    """
    from conceptloom.tasks import frozen, ingest, publish  # noqa: F401  for their imports
