"""Airflow DAGs, one for each recipe: a task for each stage, then the promotion of the build.

Airflow reads this file in its own environment, where conceptloom is not installed, so the recipes and their stages are
listed in `conceptloom_recipes.json` beside it. `conceptloom airflow DIR` writes both into a folder of DAGs. A task runs
the program named by the environment variable CONCEPTLOOM_EXECUTABLE (default: `conceptloom`).

`conceptloom_schedules.json` in the same folder, if present, holds settings for a recipe, among them defaults for the
parameters of a run (times are in seconds; see SETTINGS):

    {"korean-commongen": {"schedule": "@weekly", "retries": 2, "retry_delay": 300, "params": {"output": "/builds"}}}
"""

import hashlib
import importlib
import json
from collections import deque
from collections.abc import Callable, Iterable
from datetime import datetime, timedelta, timezone
from functools import cached_property
from pathlib import Path
from subprocess import PIPE, STDOUT, Popen
from typing import Any

from airflow.providers.standard.hooks.subprocess import SubprocessHook, SubprocessResult, working_directory
from airflow.providers.standard.operators.bash import BashOperator
from airflow.sdk import DAG, Asset, Param
from airflow.sdk.exceptions import AirflowException, AirflowFailException

HERE = Path(__file__).resolve().parent
RECIPES = "conceptloom_recipes.json"
SCHEDULES = "conceptloom_schedules.json"

SETTINGS = {
    "schedule": "when it runs: as Airflow writes it, such as @weekly; default: only by hand",
    "params": "defaults for the parameters of a run",
    "retries": "how often a task is tried again; default 2",
    "retry_delay": "seconds before it is; default 300",
    "execution_timeout": "seconds that a task may take, or {TASK: seconds}; default: no limit",
    "outlets": "the assets that a promotion updates; default: the name of the DAG",
    "on_failure": "MODULE.FUNCTION, called with the context of a task that failed for good; or a list of them",
}
"""The settings of a recipe in SCHEDULES."""

FINAL = (2, 3)
"""The statuses of wrong usage and of a gate that says no: a task that ends with one is not tried again."""

LAST_LINES = 10
"""The most lines of a command's output in the message of its failure."""

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
    ${CONCEPTLOOM_BACKWARDS:+--backwards} -- "$CONCEPTLOOM_BUILD" "${options[@]}"
"""
)

ENVIRONMENT = {
    "CONCEPTLOOM_BUILD": "{{ params.output.rstrip('/') }}/{{ run_folder(dag_run) }}",
    "CONCEPTLOOM_INPUTS": "{{ params.inputs | one_line_json if params.inputs else '' }}",
    "CONCEPTLOOM_CONFIG": "{{ params.config or '' }}",
    "CONCEPTLOOM_FROZEN": "{{ params.frozen or '' }}",
    "CONCEPTLOOM_RUNNER": "{{ params.runner }}",
    "CONCEPTLOOM_WORKERS": "{{ params.workers }}",
    "CONCEPTLOOM_BEAM_OPTIONS": "{{ params.beam_options | join('\\n') }}",
    "CONCEPTLOOM_FORCE": "{{ 'yes' if params.force else '' }}",
    "CONCEPTLOOM_BACKWARDS": "{{ 'yes' if params.backwards else '' }}",
}


def run_folder(dag_run: Any) -> str:
    """Returns the name of a run's folder: its date and time in UTC, so that names sort by time.

    It is the same for each try of a run, and no other run has it: a DAG has one run for each logical date. Runs without
    one have the time at which they were to start, which two may share, so a hash of the run's id follows.
    """
    at = (dag_run.logical_date or dag_run.run_after).astimezone(timezone.utc)
    name = f"{at:%Y-%m-%dT%H%M%S}" + (f".{at:%f}" if at.microsecond else "")
    return name if dag_run.logical_date else f"{name}-{hashlib.sha256(dag_run.run_id.encode()).hexdigest()[:8]}"


def reason(lines: Iterable[str]) -> str:
    """Returns why a command failed: its lines with errors or, if it wrote none, all of these lines."""
    kept = list(lines)
    return "\n".join([line for line in kept if line.lower().startswith("error: ")] or kept) or "it wrote nothing"


class CommandHook(SubprocessHook):
    """Runs a command and logs its output; a failure says what the command said last, not only its status."""

    def run_command(
        self,
        command: list[str],
        env: dict[str, str] | None = None,
        output_encoding: str = "utf-8",
        cwd: str | None = None,
    ) -> SubprocessResult:
        """Returns the status and the last line; raises AirflowException with the reason if the status is not 0.

        AirflowFailException if another try would end the same (see FINAL).
        """
        last: deque[str] = deque(maxlen=LAST_LINES)
        with working_directory(cwd) as place:
            # `send_sigterm` of the base class, at a time-out and when the task is stopped, ends this process's group.
            self.sub_process = process = Popen(
                command, stdout=PIPE, stderr=STDOUT, cwd=place, env=env, start_new_session=True
            )
            for raw in process.stdout or ():
                last.append(raw.decode(output_encoding, "backslashreplace").rstrip())
                self.log.info("%s", last[-1])
            status = process.wait()
        if status:
            raise (AirflowFailException if status in FINAL else AirflowException)(
                f"conceptloom ended with status {status}: {reason(last)}"
            )
        return SubprocessResult(status, last[-1] if last else "")


class Command(BashOperator):
    """A task that calls conceptloom; an event of its outlets names the build."""

    @cached_property
    def subprocess_hook(self) -> CommandHook:
        """What runs the command."""
        return CommandHook()

    def execute(self, context: Any) -> Any:
        """Runs the command; raises AirflowException if it fails."""
        done = super().execute(context)
        for outlet in self.outlets:
            context["outlet_events"][outlet].extra = {"build": self.env["CONCEPTLOOM_BUILD"]}
        return done


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
        "backwards": (False, {"type": "boolean", "title": "Promote even if the current build is newer"}),
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


def check_settings(recipe: str, tasks: list[str], plan: dict[str, Any]) -> None:
    """Raises ValueError for a setting, or a task with a time-out, that does not exist."""
    timeouts = plan.get("execution_timeout")
    named = {"setting": (plan, SETTINGS), "task": (timeouts if isinstance(timeouts, dict) else {}, tasks)}
    for kind, (chosen, known) in named.items():
        unknown = [name for name in chosen if name not in known]
        if unknown:
            raise ValueError(f"{SCHEDULES}: {recipe} has no {kind} {', '.join(unknown)}; there are: {', '.join(known)}")


def timeout_of(task: str, plan: dict[str, Any]) -> timedelta | None:
    """Returns how long a task may take, or None."""
    chosen = plan.get("execution_timeout")
    seconds = chosen.get(task) if isinstance(chosen, dict) else chosen
    return None if seconds is None else timedelta(seconds=seconds)


def callbacks(plan: dict[str, Any]) -> list[Callable[[Any], object]]:
    """Returns the functions to call when a task fails; raises ValueError for one that cannot be imported."""
    chosen = plan.get("on_failure") or []
    return [function_named(name) for name in ([chosen] if isinstance(chosen, str) else chosen)]


def function_named(name: str) -> Callable[[Any], object]:
    """Returns the function MODULE.FUNCTION; raises ValueError if it cannot be imported."""
    module, _, function = name.rpartition(".")
    try:
        return getattr(importlib.import_module(module), function)
    except (ImportError, AttributeError, ValueError) as error:
        raise ValueError(
            f"{SCHEDULES}: on_failure {name} cannot be imported ({error}): put its module into the folder of DAGs"
        ) from None


def make_dag(recipe: str, stages: list[str], plan: dict[str, Any]) -> DAG:
    """Returns the DAG of a recipe: its stages in sequence, then the promotion; `plan` has the keys of SETTINGS.

    Raises ValueError for settings that cannot be followed.
    """
    tasks = [*stages, "promote"]
    check_settings(recipe, tasks, plan)
    name = f"conceptloom-{recipe}"
    dag = DAG(
        name,
        description=f"Builds {recipe} into a folder of the run and makes it the current build if it passes its gates",
        schedule=plan.get("schedule"),
        start_date=datetime(2026, 1, 1, tzinfo=timezone.utc),
        catchup=False,
        # A run that overtakes another would be promoted before it, and the other be refused as the older one.
        max_active_runs=1,
        params=params_of(plan.get("params", {})),
        user_defined_filters={"one_line_json": one_line_json},
        user_defined_macros={"run_folder": run_folder},
        default_args={
            "retries": plan.get("retries", 2),
            "retry_delay": timedelta(seconds=plan.get("retry_delay", 300)),
            "on_failure_callback": callbacks(plan),
        },
        tags=["conceptloom"],
    )
    before = None
    for task in tasks:
        is_last = task == tasks[-1]
        step = Command(
            task_id=task,
            bash_command=PROMOTE if is_last else BUILD,
            env=ENVIRONMENT if is_last else {**ENVIRONMENT, "CONCEPTLOOM_RECIPE": recipe, "CONCEPTLOOM_STAGE": task},
            execution_timeout=timeout_of(task, plan),
            outlets=[Asset(one) for one in plan.get("outlets", [name])] if is_last else [],
            dag=dag,
            append_env=True,
            skip_on_exit_code=None,
            do_xcom_push=False,
        )
        if before:
            before >> step
        before = step
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
