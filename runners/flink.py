"""The Flink runner: stages run as Flink jobs, through a given job server or one started for the build."""

import os
import shutil
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from urllib.parse import urlparse

from apache_beam.options.pipeline_options import FlinkRunnerOptions, JobServerOptions, PipelineOptions, PortableOptions
from apache_beam.runners.portability.flink_runner import MAGIC_HOST_NAMES, FlinkJarJobServer

from conceptloom.errors import ConfigError
from conceptloom.runners.environments import LOOPBACK, environment
from conceptloom.runners.job_server import JobServer, named, started
from conceptloom.runners.options import parsed
from conceptloom.runners.portable import PortableRunner, opened

CONFIGURATION = "flink-conf.yaml"
MANAGED = 512
"""Megabytes of managed memory for each slot of an embedded Flink: reserved, and resident only where it is used."""
LEAST_NETWORK = 64
"""Megabytes of its network buffers."""
DRIVER = "org.apache.beam.runners.flink.FlinkJobServerDriver"


@contextmanager
def open_flink(workers: int, options: tuple[str, ...] = ()) -> Iterator[PortableRunner]:
    """Yields a runner on Flink, with `workers` parallel tasks unless the options say otherwise.

    Raises ConfigError for invalid options before anything is started, and for unknown options once the job server,
    which has options of its own, is running.
    """
    given = parsed(options)
    if given.view_as(FlinkRunnerOptions).flink_submit_uber_jar:
        raise ConfigError("--flink_submit_uber_jar is not supported: the job server must live as long as the build")
    kind = environment(given, LOOPBACK if _is_local(given) else None)
    # In this process one worker is enough, as its tasks run in the pool. Elsewhere 0 selects Flink's default: one less
    # than the cores of the task manager's machine.
    workers_of_a_machine = 1 if kind == LOOPBACK else 0
    sizes = (f"--parallelism={workers}", f"--sdk_worker_parallelism={workers_of_a_machine}")
    with opened(workers, kind, job_server(given, workers), (*sizes, *options)) as runner:
        yield runner


def _is_local(options: PipelineOptions) -> bool:
    """Returns whether Flink will run inside the job server started here, from which this process is reachable."""
    given = options.view_as(PortableOptions).job_endpoint
    return not given and options.view_as(FlinkRunnerOptions).flink_master in MAGIC_HOST_NAMES


def job_server(options: PipelineOptions, workers: int = 1) -> AbstractContextManager[JobServer]:
    """Returns the given job server, or one that lives as long as the context; raises like `open_flink`.

    A Flink inside the server gets the memory that jobs of `workers` parallel tasks (or --parallelism) need, unless
    --flink_conf_dir says what it gets.
    """
    server = named(options)
    if server:
        return server
    java = options.view_as(JobServerOptions).job_server_java_launcher
    if shutil.which(java) is None:
        raise ConfigError(
            f"{java}: no such program; Flink needs Java 11 or 17: install it, or give --job_server_java_launcher"
        )
    program = _program(options)
    memory = _configuration(options, workers) if _is_local(options) else ""

    def command(port: int, directory: str) -> list[str]:
        if not memory:
            return _command(options, program, port, directory)
        with open(os.path.join(directory, CONFIGURATION), "w", encoding="utf-8") as stream:
            stream.write(memory)
        return [*_command(options, program, port, directory), f"--flink-conf-dir={directory}"]

    return started("the Flink job server", command)


def _configuration(options: PipelineOptions, workers: int) -> str:
    """Returns the configuration of a Flink inside the job server: its memory; empty if the user gives one.

    Flink's own defaults for a cluster in one process are made for trials: its managed memory, 128 MB, is divided among
    all slots, and within a slot among the two sorts of each shuffle of the job, of which a stage has up to ten. A sort
    refuses a record that is larger than its share, and such a record is all that a task sends to one bucket: Beam's
    translation puts it together before it is sent. An exchange takes a buffer of 32 KB for each pair of tasks.
    """
    given = options.view_as(FlinkRunnerOptions)
    if options.get_all_options(retain_unknown_options=True).get("flink_conf_dir"):
        return ""
    slots = given.parallelism if given.parallelism > 0 else workers
    managed, network = MANAGED * slots, max(LEAST_NETWORK, slots * slots)
    sizes = {"managed.size": managed, "network.min": network, "network.max": network}
    return "".join(f"taskmanager.memory.{name}: {size}m\n" for name, size in sizes.items())


def _command(options: PipelineOptions, program: list[str], port: int, directory: str) -> list[str]:
    serving = options.view_as(JobServerOptions)
    java = [serving.job_server_java_launcher, f"-Djava.io.tmpdir={directory}", *serving.job_server_jvm_properties]
    master = f"--flink-master={options.view_as(FlinkRunnerOptions).flink_master}"
    others = [f"--artifact-port={serving.artifact_port}", f"--expansion-port={serving.expansion_port}"]
    artifacts = f"--artifacts-dir={serving.artifacts_dir or directory}"
    return [*java, *program, master, "--job-host=localhost", f"--job-port={port}", *others, artifacts]


def _program(options: PipelineOptions) -> list[str]:
    """Returns Java's arguments for the given jar or directory of jars, or else for the jar that Beam downloads."""
    jar = options.view_as(FlinkRunnerOptions).flink_job_server_jar
    if jar and os.path.isdir(jar):
        if not any(name.endswith(".jar") for name in os.listdir(jar)):
            raise ConfigError(f"--flink_job_server_jar={jar}: this directory contains no jar")
        return ["-cp", os.path.join(jar, "*"), DRIVER]
    if jar and not os.path.exists(jar) and not urlparse(jar).scheme:
        raise ConfigError(f"--flink_job_server_jar={jar}: no such file")
    return ["-jar", _fetched(FlinkJarJobServer(options), options)]


def _fetched(server: FlinkJarJobServer, options: PipelineOptions) -> str:
    jar = server.path_to_jar()
    try:
        return str(server.local_jar(jar, options.view_as(JobServerOptions).jar_cache_dir))
    except Exception as error:
        raise ConfigError(
            f"{jar} cannot be downloaded ({error}): give a job server's jar, or a directory of its jars, as "
            "--flink_job_server_jar"
        ) from error
