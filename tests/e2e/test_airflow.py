"""The DAG in a real Airflow, which has neither conceptloom nor Beam: runs, retries, gates, and values of every kind."""

import json
import os
import re
import runpy
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import yaml
from builds import RECIPE, ROOT, STAGES, data_rows, plain_sentences, write_lines

from conceptloom.pipelines import RECIPES
from conceptloom.runners.scheduling import write_dags

AIRFLOW = runpy.run_path(str(ROOT / "scripts" / "test_environments.py"))["ROOT"] / "airflow"
DAG_ID = f"conceptloom-{RECIPE}"

pytestmark = pytest.mark.skipif(
    not (AIRFLOW / "READY").exists(),
    reason=f"no Airflow in {AIRFLOW}: python scripts/test_environments.py airflow",
)

EXECUTABLE = f"""#!{sys.executable}
import json, os, signal, sys, time
from pathlib import Path

here = Path(__file__).parent
with open(here / "calls.jsonl", "a") as calls:
    calls.write(json.dumps(sys.argv[1:]) + "\\n")
if "--only=select" in sys.argv and not (here / "failed").exists():
    (here / "failed").touch()
    sys.exit("the network is away")
if (here / "RECORD_ONLY").exists():
    sys.exit(0)
if (here / "SLEEP").exists():
    signal.signal(signal.SIGTERM, lambda *_: sys.exit((here / "stopped").touch()))
    time.sleep(60)

os.execv(sys.executable, [sys.executable, "-m", "conceptloom", *sys.argv[1:]])
"""
"""The command line, but that its first run of stage `select` fails; it keeps the arguments of each run."""


class Installed:
    """A folder of DAGs, an Airflow that reads it, and the executable that its tasks call."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.dags = home / "dags"
        write_dags(str(self.dags))
        self.builds = home / "builds"
        self.schedule()
        self.executable = home / "executable"
        self.executable.write_text(EXECUTABLE)
        self.executable.chmod(0o755)
        assert self.airflow("db", "migrate").returncode == 0

    def schedule(self, **settings: Any) -> None:
        """Sets the settings of the recipe, besides where builds go and that a task is tried twice."""
        plan = {"retries": 1, "retry_delay": 1, "params": {"output": f"{self.builds}/"}, **settings}
        (self.dags / "conceptloom_schedules.json").write_text(json.dumps({RECIPE: plan}))

    def environment(self) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "AIRFLOW"))}
        return {
            **kept,
            "PATH": f"{AIRFLOW / 'bin'}:/usr/bin:/bin",
            "HOME": str(self.home),
            "AIRFLOW_HOME": str(self.home / "airflow"),
            "AIRFLOW__CORE__DAGS_FOLDER": str(self.dags),
            "AIRFLOW__CORE__LOAD_EXAMPLES": "False",
            "AIRFLOW__DATABASE__SQL_ALCHEMY_CONN": f"sqlite:///{self.home}/airflow.db",
            "AIRFLOW__LOGGING__LOGGING_LEVEL": "WARNING",
            "PYTHONWARNINGS": "ignore",
            "CONCEPTLOOM_EXECUTABLE": str(self.executable),
        }

    def airflow(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return self._process(str(AIRFLOW / "bin" / "airflow"), *arguments)

    def run(self, date: str, **conf: Any) -> subprocess.CompletedProcess[str]:
        """`airflow dags test` of one run."""
        return self.airflow("dags", "test", DAG_ID, date, "-c", json.dumps(conf))

    def script(self, program: str, *arguments: object) -> Any:
        """What a program prints as the last line, in JSON, when Airflow's Python runs it."""
        done = self._process(str(AIRFLOW / "bin" / "python"), "-c", program, *map(str, arguments))
        assert done.returncode == 0, done.stderr[-3000:]
        return json.loads(done.stdout.splitlines()[-1])

    def calls(self) -> list[list[str]]:
        """The arguments of each call of the executable since the last time."""
        path = self.home / "calls.jsonl"
        lines = path.read_text().splitlines() if path.exists() else []
        path.unlink(missing_ok=True)
        return [json.loads(line) for line in lines]

    def _process(self, *command: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command,
            env=self.environment(),
            cwd=self.home,
            capture_output=True,
            encoding="utf-8",
            timeout=300,
            check=False,
        )


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    return Installed(tmp_path_factory.mktemp("airflow"))


def steps(calls: list[list[str]]) -> list[str]:
    """The stage or command of each call."""
    return [one[2].removeprefix("--only=") if one[0] == "build" else one[0] for one in calls]


def of(*patterns: object) -> dict[str, Any]:
    return {"lines": {"patterns": list(map(str, patterns)), "format": "lines"}}


def events(installed: Installed) -> list[tuple[str, Any]]:
    """The updates of assets so far: each asset's name, and what its event holds besides."""
    query = "select a.name, e.extra from asset_event e join asset a on a.id = e.asset_id order by e.id"
    with closing(sqlite3.connect(installed.home / "airflow.db")) as database:
        return [(name, json.loads(extra)) for name, extra in database.execute(query)]


MORNING, EVENING, LATER = "2026-11-07T060000", "2026-11-07T180000", "2026-11-14T000000"


def test_builds_run_by_run(installed: Installed) -> None:
    """A build whose second stage fails once, then on the same day of a grown corpus, again, and of a shrunk one."""
    texts, output = plain_sentences(), installed.builds
    more = [write_lines(installed.home / f"{at}.txt", texts[at : at + 100]) for at in (0, 100, 200)]

    first = installed.run("2026-11-07T06:00:00", inputs=of(*more[:2]))
    assert first.returncode == 0, first.stdout[-3000:]
    assert steps(installed.calls()) == ["ingest", "select", "select", "split", "publish", "promote"]
    assert "conceptloom ended with status 1: the network is away" in first.stdout
    assert os.readlink(output / "current") == MORNING

    second = installed.run("2026-11-07T18:00:00", inputs=of(*more))
    assert second.returncode == 0, second.stdout[-3000:]
    assert os.readlink(output / "current") == EVENING
    rows = {name: sum(map(len, data_rows(output / name).values())) for name in (MORNING, EVENING, "current")}
    assert 0 < rows[MORNING] < rows[EVENING] == rows["current"]

    before = {path: path.stat().st_mtime_ns for path in output.rglob("*") if path.is_file()}
    again = installed.run("2026-11-07T18:00:00", inputs=of(*more))
    assert again.returncode == 0, again.stdout[-3000:]
    assert {path: path.stat().st_mtime_ns for path in output.rglob("*") if path.is_file()} == before
    made = [{"build": str(output / name)} for name in (MORNING, EVENING, EVENING)]
    assert events(installed) == [(DAG_ID, one) for one in made]
    installed.calls()

    shrunk = installed.run("2026-11-14", inputs=of(more[0]))
    assert shrunk.returncode == 1
    assert steps(installed.calls()) == ["ingest", "select", "split", "publish", "promote"]
    assert "conceptloom ended with status 3: error: gates failed: max_fall train: " in shrunk.stdout
    assert os.readlink(output / "current") == EVENING
    assert sorted(path.name for path in output.iterdir()) == [MORNING, EVENING, LATER, "current"]
    assert (output / LATER / "MANIFEST.json").exists()
    assert len(events(installed)) == 3


TELL = """
from pathlib import Path

def tell(context):
    with open(Path(__file__).parent.parent / "told", "a") as file:
        print(context["ti"].task_id, context["exception"], file=file)
"""


def test_a_failure_is_told_with_its_reason(installed: Installed) -> None:
    """Once, when the task is not tried again; with the error of the build, letter for letter."""
    (installed.home / "failed").touch()
    (installed.dags / "told.py").write_text(TELL)
    installed.schedule(on_failure="told.tell")
    done = installed.run("2026-11-21", inputs=of("/none/a.txt"))
    installed.schedule()
    assert done.returncode == 1
    said = "conceptloom ended with status 1: error: /none/a.txt: no such file; check the path"
    assert said in done.stdout
    (line,) = (installed.home / "told").read_text().splitlines()
    assert line.startswith(f"ingest {said}")
    assert steps(installed.calls()) == ["ingest", "ingest"]


def test_a_task_that_takes_too_long_is_stopped(installed: Installed) -> None:
    """As by Ctrl-C: the command can still cancel what it started elsewhere."""
    (installed.home / "SLEEP").touch()
    installed.schedule(retries=0, execution_timeout={"ingest": 2})
    done = installed.run("2026-11-21", inputs=of("/none/a.txt"))
    installed.schedule()
    (installed.home / "SLEEP").unlink()
    assert (done.returncode, steps(installed.calls())) == (1, ["ingest"])
    assert "Timeout" in done.stdout
    end = time.monotonic() + 10
    while not (installed.home / "stopped").exists():
        assert time.monotonic() < end, "the command was not told to stop"
        time.sleep(0.1)


FOLDERS = """
import json, runpy, sys
from datetime import datetime
from types import SimpleNamespace

run_folder = runpy.run_path(sys.argv[1])["run_folder"]
runs = json.loads(sys.argv[2])
dates = [{key: text and datetime.fromisoformat(text) for key, text in run["dates"].items()} for run in runs]
print(json.dumps([run_folder(SimpleNamespace(run_id=run["id"], **date)) for run, date in zip(runs, dates)]))
"""


def test_each_run_has_a_folder_of_its_own(installed: Installed) -> None:
    times = ["2026-11-07T06:00:00+00:00", "2026-11-07T06:00:00.000001+00:00", "2026-11-07T15:00:01.5+09:00"]
    runs = [{"id": "../x", "dates": {"logical_date": text, "run_after": times[0]}} for text in times]
    runs += [
        {"id": name, "dates": {"logical_date": None, "run_after": times[0]}} for name in ("../../x", "개 a", "../../x")
    ]
    *dated, one, other, again = installed.script(FOLDERS, installed.dags / "conceptloom_dag.py", json.dumps(runs))
    assert dated == ["2026-11-07T060000", "2026-11-07T060000.000001", "2026-11-07T060001.500000"] == sorted(dated)
    assert one == again != other
    assert all(re.fullmatch(r"2026-11-07T060000-[0-9a-f]{8}", name) for name in (one, other))


NASTY = "a b $(touch {0}) `touch {0}` 'q' \"p\" \\ ${{HOME}} ; touch {0} & | * ~ {{{{ 7 * 7 }}}} é 개 😀 \n-x --y"


def test_values_stay_text(installed: Installed) -> None:
    """Whatever a value holds, it is one argument, letter for letter."""
    (installed.home / "RECORD_ONLY").touch()
    (installed.home / "failed").touch()
    installed.calls()
    text = NASTY.format(installed.home / "touched")
    inputs = {
        f"-n {text}": {"patterns": [f"/{text}", f"gs://{text}"], "format": f"--{text}", "options": {text: text}},
        "--b": {"patterns": ["/b.sh"]},
    }
    options = ["--a=" + text.replace("\n", " "), "--empty= ", "--c=-- --d"]
    places = {"output": f"/o {text}", "config": f"/c {text}", "frozen": f"/f {text}"}
    done = installed.run(
        "2026-11-07", inputs=inputs, beam_options=options, force=True, backwards=True, workers=3, **places
    )
    (installed.home / "RECORD_ONLY").unlink()
    assert done.returncode == 0, done.stdout[-3000:]
    *builds, promote = installed.calls()
    for stage, call in zip(STAGES, builds, strict=True):
        expected = [
            "build", RECIPE, f"--only={stage}", f"--output=/o {text}/2026-11-07T000000",
            "--runner=direct", "--workers=3", f"--config=/c {text}", f"--frozen=/f {text}",
        ]  # fmt: skip
        assert call[:8] == expected
        assert yaml.safe_load(call[8].removeprefix("--set=inputs=")) == inputs
        assert call[9:] == ["--", *options]
    assert promote == ["promote", "--force", "--backwards", "--", f"/o {text}/2026-11-07T000000", *options]
    assert not (installed.home / "touched").exists()


READ = """
import copy, json, sys
from pathlib import Path
from airflow.dag_processing.dagbag import DagBag

def refused(dag, conf):
    params = copy.deepcopy(dag.params)
    try:
        params.update(conf)
        params.validate()
    except Exception as error:
        return type(error).__name__

found = {}
for folder in sys.argv[2:]:
    bag = DagBag(folder)
    found[Path(folder).name] = {
        "errors": [text.strip().splitlines()[-1] for text in bag.import_errors.values()],
        "dags": {
            name: {
                "after": {task.task_id: sorted(task.upstream_task_ids) for task in dag.tasks},
                "timetable": dag.timetable.summary if hasattr(dag.timetable, "summary") else str(dag.timetable),
                "outlets": {task.task_id: [asset.name for asset in task.outlets] for task in dag.tasks},
                "seconds": [task.execution_timeout and task.execution_timeout.total_seconds() for task in dag.tasks],
                "refused": [refused(dag, conf) for conf in json.loads(sys.argv[1])],
            }
            for name, dag in bag.dags.items()
        },
    }
print(json.dumps(found))
"""

GOOD = {"output": "/builds"}
BAD: list[dict[str, Any]] = [
    {},
    {"output": "builds"},
    {"output": "-builds"},
    {**GOOD, "inputs": {"a": {"patterns": []}}},
    {**GOOD, "inputs": {"a": {"patterns": ["a.txt"]}}},
    {**GOOD, "inputs": {"a": ["/a.txt"]}},
    {**GOOD, "inputs": ["a=/a.txt"]},
    {**GOOD, "workers": 0},
    {**GOOD, "workers": "2"},
    {**GOOD, "runner": "--direct"},
    {**GOOD, "config": "settings.yaml"},
    {**GOOD, "frozen": ""},
    {**GOOD, "force": "yes"},
    {**GOOD, "backwards": "yes"},
    {**GOOD, "beam_options": ["spark"]},
    {**GOOD, "beam_options": ["--a=1\n"]},
    {**GOOD, "beam_options": "--a=1"},
]


def folder(place: Path, schedules: Any = None) -> Path:
    """A folder of DAGs."""
    write_dags(str(place))
    if schedules is not None:
        (place / "conceptloom_schedules.json").write_text(json.dumps(schedules))
    return place


def test_the_dags_are_those_of_the_recipes(installed: Installed, tmp_path: Path) -> None:
    weekly = {"schedule": "@weekly", "params": {"inputs": of("/a"), "output": "gs://bucket/builds"}}
    weekly |= {"execution_timeout": 3600, "outlets": ["gs://bucket/builds/current"]}
    folders = [
        folder(tmp_path / "plain"),
        folder(tmp_path / "weekly", {RECIPE: weekly}),
        folder(tmp_path / "unknown", {"english": {}}),
        folder(tmp_path / "param", {RECIPE: {"params": {"outptu": "/a"}}}),
        folder(tmp_path / "setting", {RECIPE: {"retry": 3}}),
        folder(tmp_path / "task", {RECIPE: {"execution_timeout": {"mine": 3}}}),
        folder(tmp_path / "callback", {RECIPE: {"on_failure": ["nowhere.tell"]}}),
        folder(tmp_path / "bare"),
    ]
    (tmp_path / "bare" / "conceptloom_recipes.json").unlink()
    found = installed.script(READ, json.dumps([GOOD, *BAD]), *folders)
    plain = found["plain"]
    assert plain["errors"] == []
    assert plain["dags"].keys() == {f"conceptloom-{name}" for name in RECIPES}
    for name, recipe in RECIPES.items():
        tasks = [*(stage.name for stage in recipe.stages), "promote"]
        after = {task: [before] if before else [] for before, task in zip([None, *tasks], tasks)}
        assert plain["dags"][f"conceptloom-{name}"]["after"] == after
    refused = plain["dags"][DAG_ID]["refused"]
    assert refused == [None] + ["ParamValidationError"] * len(BAD)
    assert found["weekly"]["errors"] == [] and found["weekly"]["dags"].keys() == plain["dags"].keys()
    assert "0 0 * * 0" in found["weekly"]["dags"][DAG_ID]["timetable"]
    assert found["weekly"]["dags"][DAG_ID]["seconds"] == [3600] * (len(STAGES) + 1)
    assert plain["dags"][DAG_ID]["seconds"] == [None] * (len(STAGES) + 1)
    outlets = [found[name]["dags"][DAG_ID]["outlets"] for name in ("plain", "weekly")]
    assert [one.pop("promote") for one in outlets] == [[DAG_ID], ["gs://bucket/builds/current"]]
    assert all(one == {stage: [] for stage in STAGES} for one in outlets)
    assert f"{RECIPE} has no setting retry; there are: schedule, params, retries, " in found["setting"]["errors"][0]
    assert f"{RECIPE} has no task mine; there are: ingest, select, " in found["task"]["errors"][0]
    assert "on_failure nowhere.tell cannot be imported (No module" in found["callback"]["errors"][0]
    assert found["unknown"]["errors"] == ["ValueError: conceptloom_schedules.json: no recipe is called english"]
    assert "no parameter is called outptu; there are: inputs, output, " in found["param"]["errors"][0]
    assert f"create it with `conceptloom airflow {tmp_path / 'bare'}`" in found["bare"]["errors"][0]


def test_a_run_with_a_wrong_parameter_fails_before_it_begins(installed: Installed) -> None:
    installed.calls()
    done = installed.run("2026-11-07", output="builds", inputs=of("/a"))
    assert done.returncode == 1
    assert "Param" in done.stdout + done.stderr
    assert installed.calls() == []
