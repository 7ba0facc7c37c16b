"""The tasks that every recipe has, imported together."""


def load_common() -> None:
    """Imports the tasks of every recipe, and with them numpy and Arrow, which a worker needs before its first call.

    Not imported at the top: workers get this function by name, and only they are to pay for the imports.
    """
    from conceptloom.tasks import frozen, ingest, publish  # noqa: F401  for their imports
