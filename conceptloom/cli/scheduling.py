"""`conceptloom airflow`: the DAGs of a scheduler."""

import typer


def add_commands(app: typer.Typer) -> None:
    """Adds this module's commands."""
    app.command()(airflow)


def airflow(directory: str = typer.Argument(help="Airflow's folder of DAGs; may be gs://.")) -> None:
    """Writes the Airflow DAG of each recipe: a task for each stage, then the promotion. Again after an upgrade."""
    from conceptloom.runners.scheduling import write_dags

    for path in write_dags(directory):
        print(path)
