"""Airflow DAGs, one for each recipe: a task for each stage, then the promotion of the build.

Airflow reads this file in its own environment, where conceptloom is not installed, so the recipes and their stages are
listed in `conceptloom_recipes.json` beside it. `conceptloom airflow DIR` writes both into a folder of DAGs. A task runs
the program named by the environment variable CONCEPTLOOM_EXECUTABLE (default: `conceptloom`).

`conceptloom_schedules.json` in the same folder, if present, sets the schedule of a recipe, its retries (with the delay
in seconds), and defaults for the parameters of a run:

    {"korean-commongen": {"schedule": "@weekly", "retries": 2, "retry_delay": 300, "params": {"output": "/builds"}}}
"""

import json
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

from airflow.providers.standard.operators.bash import BashOperator
from airflow.sdk import DAG, Param

HERE = Path(__file__).resolve().parent
RECIPES = "conceptloom_recipes.json"
SCHEDULES = "conceptloom_schedules.json"

PLACE = r"^(/|[A-Za-z][-A-Za-z0-9+.]*://)"
"""Paths must be absolute: every task runs in another temporary directory."""
ONE_LINE = r"^--[^\r\n]+(?![\s\S])"

SOURCE = {
    "type": "object",
    "required": ["patterns"],
    "properties": {"patterns": {"type": "array", "minItems": 1, "items": {"type": "string", "pattern": PLACE}}},
}

# Every value is passed in the environment and quoted, so that no shell interprets it. Options with an empty value are
# omitted; the others use an equals sign, so that no value is mistaken for an option.
OPTIONS = """\
mapfile -t options < <(printf '%s' "$CONCEPTLOOM_BEAM_OPTIONS")
"""
BUILD = (
    OPTIONS
    + """\
exec "${CONCEPTLOOM_EXECUTABLE:-conceptloom}" build "$CONCEPTLOOM_RECIPE" "--only=$CONCEPTLOOM_STAGE" \\
    "--output=$CONCEPTLOOM_BUILD" "--runner=$CONCEPTLOOM_RUNNER" "--workers=$CONCEPTLOOM_WORKERS" \\
    ${CONCEPTLOOM_CONFIG:+"--config=$CONCEPTLOOM_CONFIG"} ${CONCEPTLOOM_FROZEN:+"--frozen=$CONCEPTLOOM_FROZEN"} \\
    ${CONCEPTLOOM_INPUTS:+"--set=inputs=$CONCEPTLOOM_INPUTS"} -- "${options[@]}"
"""
)
PROMOTE = (
    OPTIONS
    + """\
exec "${CONCEPTLOOM_EXECUTABLE:-conceptloom}" promote ${CONCEPTLOOM_FORCE:+--force} \\
    -- "$CONCEPTLOOM_BUILD" "${options[@]}"
"""
)

# A run that was triggered manually without a date has the date on which it was to run.
DATE = "{{ (dag_run.logical_date or dag_run.run_after) | ds }}"
ENVIRONMENT = {
    "CONCEPTLOOM_BUILD": "{{ params.output.rstrip('/') }}/" + DATE,
    "CONCEPTLOOM_INPUTS": "{{ params.inputs | one_line_json if params.inputs else '' }}",
    "CONCEPTLOOM_CONFIG": "{{ params.config or '' }}",
    "CONCEPTLOOM_FROZEN": "{{ params.frozen or '' }}",
    "CONCEPTLOOM_RUNNER": "{{ params.runner }}",
    "CONCEPTLOOM_WORKERS": "{{ params.workers }}",
    "CONCEPTLOOM_BEAM_OPTIONS": "{{ params.beam_options | join('\\n') }}",
    "CONCEPTLOOM_FORCE": "{{ 'yes' if params.force else '' }}",
}


def one_line_json(value: object) -> str:
    """Returns JSON that is also valid YAML: without escaped surrogate pairs, which YAML does not support."""
    return json.dumps(value, ensure_ascii=False)


def params_of(defaults: dict[str, Any]) -> dict[str, Param]:
    """Returns the parameters of a run, typed by JSON schemas; `output` has no default unless the schedule sets one."""
    place = {"type": "string", "pattern": PLACE}
    perhaps = {"type": ["null", "string"], "pattern": PLACE}
    schemas: dict[str, tuple[object, dict[str, object]]] = {
        "inputs": (
            {},
            {"type": "object", "additionalProperties": SOURCE, "title": "Sources: name -> patterns, format"},
        ),
        "output": (..., {**place, "title": "The folder of the builds and of `current`"}),
        "config": (None, {**perhaps, "title": "A YAML file of settings"}),
        "runner": ("direct", {"type": "string", "pattern": "^[a-z][-a-z]*$"}),
        "workers": (1, {"type": "integer", "minimum": 1, "maximum": 1024}),
        "frozen": (None, {**perhaps, "title": "An earlier build whose validation and test are kept"}),
        "force": (False, {"type": "boolean", "title": "Promote even if a gate fails"}),
        "beam_options": ([], {"type": "array", "items": {"type": "string", "pattern": ONE_LINE}}),
    }
    unknown = defaults.keys() - schemas.keys()
    if unknown:
        names = ", ".join(sorted(unknown))
        raise ValueError(f"{SCHEDULES}: no parameter is called {names}; there are: {', '.join(schemas)}")
    chosen = {name: (defaults.get(name, default), schema) for name, (default, schema) in schemas.items()}
    return {
        name: Param(**schema) if default is ... else Param(default, **schema)
        for name, (default, schema) in chosen.items()
    }


def make_dag(recipe: str, stages: list[str], plan: dict[str, Any]) -> DAG:
    """Returns the DAG of a recipe: its stages in sequence, then the promotion."""
    dag = DAG(
        f"conceptloom-{recipe}",
        description=f"Builds {recipe} under the date of the run and makes it the current build if it passes its gates",
        schedule=plan.get("schedule"),
        start_date=datetime(2026, 1, 1, tzinfo=timezone.utc),
        catchup=False,
        # Two runs with the same date would write into the same directory.
        max_active_runs=1,
        params=params_of(plan.get("params", {})),
        user_defined_filters={"one_line_json": one_line_json},
        default_args={
            "retries": plan.get("retries", 2),
            "retry_delay": timedelta(seconds=plan.get("retry_delay", 300)),
        },
        tags=["conceptloom"],
    )
    common = {"dag": dag, "append_env": True, "skip_on_exit_code": None, "do_xcom_push": False}
    before = None
    for stage in stages:
        environment = {**ENVIRONMENT, "CONCEPTLOOM_RECIPE": recipe, "CONCEPTLOOM_STAGE": stage}
        task = BashOperator(task_id=stage, bash_command=BUILD, env=environment, **common)
        if before:
            before >> task
        before = task
    before >> BashOperator(task_id="promote", bash_command=PROMOTE, env=ENVIRONMENT, **common)
    return dag


def read_json(name: str) -> dict[str, Any]:
    """Returns the content of a JSON file beside this file; empty if there is none."""
    path = HERE / name
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


_RECIPES, _PLANS = read_json(RECIPES), read_json(SCHEDULES)
if not _RECIPES:
    raise FileNotFoundError(f"{HERE / RECIPES} is missing: create it with `conceptloom airflow {HERE}`")
if _PLANS.keys() - _RECIPES.keys():
    raise ValueError(f"{SCHEDULES}: no recipe is called {', '.join(sorted(_PLANS.keys() - _RECIPES.keys()))}")
for _recipe, _stages in _RECIPES.items():
    globals()[f"dag_{_recipe}"] = make_dag(_recipe, _stages, _PLANS.get(_recipe, {}))
