"""The files for a scheduler: Airflow DAGs, which run where conceptloom is not installed."""

import json
from pathlib import Path

from conceptloom import storage
from conceptloom.pipelines import RECIPES

DAG = Path(__file__).resolve().parent / "airflow" / "conceptloom_dag.py"
STAGES = "conceptloom_recipes.json"
"""The file beside the DAG file that lists the stages of each recipe in order."""


def write_dags(directory: str) -> list[str]:
    """Writes the DAG file and the list of stages into a folder of DAGs; returns their paths.

    Raises OutputError if they cannot be written.
    """
    stages = {name: [stage.name for stage in recipe.stages] for name, recipe in RECIPES.items()}
    files = {STAGES: (json.dumps(stages, indent=1) + "\n").encode(), DAG.name: DAG.read_bytes()}
    for name, data in files.items():
        storage.write_bytes(storage.join(directory, name), data)
    return [storage.join(directory, name) for name in files]
