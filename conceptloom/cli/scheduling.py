"""The command `conceptloom airflow`, which writes the DAGs for Airflow."""

import typer


def add_commands(app: typer.Typer) -> None:
    """Adds this module's commands."""
    app.command()(airflow)


def airflow(directory: str = typer.Argument(help="Airflow's folder of DAGs, local or gs://.")) -> None:
    """Writes an Airflow DAG for each recipe: a task per stage, then the promotion; run it again after an upgrade."""
    from conceptloom.runners.scheduling import write_dags

    for path in write_dags(directory):
        print(path)
