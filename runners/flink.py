"""The Flink runner: stages as Flink jobs, through a job server that is given or started for the build."""

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

DRIVER = "org.apache.beam.runners.flink.FlinkJobServerDriver"


@contextmanager
def open_flink(workers: int, options: tuple[str, ...] = ()) -> Iterator[PortableRunner]:
    """A runner for stages on Flink, with `workers` tasks at a time unless the options say otherwise.

    Raises ConfigError, before anything is started, for options that cannot work; for unknown ones when the job server,
    which has some of its own, can be asked.
    """
    given = parsed(options)
    if given.view_as(FlinkRunnerOptions).flink_submit_uber_jar:
        raise ConfigError("--flink_submit_uber_jar is not supported: a job server lives as long as the build")
    kind = environment(given, LOOPBACK if _is_local(given) else None)
    # In this process one worker is enough for all, its tasks go to the pool. Elsewhere 0 is Flink's own count: one for
    # each core of a task manager's machine but one.
    workers_of_a_machine = 1 if kind == LOOPBACK else 0
    sizes = (f"--parallelism={workers}", f"--sdk_worker_parallelism={workers_of_a_machine}")
    with opened(workers, kind, job_server(given), (*sizes, *options)) as runner:
        yield runner


def _is_local(options: PipelineOptions) -> bool:
    """Returns whether Flink runs inside the job server that will be started here, so that this process can be reached."""
    given = options.view_as(PortableOptions).job_endpoint
    return not given and options.view_as(FlinkRunnerOptions).flink_master in MAGIC_HOST_NAMES


def job_server(options: PipelineOptions) -> AbstractContextManager[JobServer]:
    """Returns the job server that is given, or one that lives as long as the context; raises as `open_flink` does."""
    server = named(options)
    if server:
        return server
    java = options.view_as(JobServerOptions).job_server_java_launcher
    if shutil.which(java) is None:
        raise ConfigError(
            f"{java}: no such program; Flink wants Java 11 or 17: install it, or name it by --job_server_java_launcher"
        )
    program = _program(options)
    return started("the Flink job server", lambda port, directory: _command(options, program, port, directory))


def _command(options: PipelineOptions, program: list[str], port: int, directory: str) -> list[str]:
    serving = options.view_as(JobServerOptions)
    java = [serving.job_server_java_launcher, f"-Djava.io.tmpdir={directory}", *serving.job_server_jvm_properties]
    master = f"--flink-master={options.view_as(FlinkRunnerOptions).flink_master}"
    others = [f"--artifact-port={serving.artifact_port}", f"--expansion-port={serving.expansion_port}"]
    artifacts = f"--artifacts-dir={serving.artifacts_dir or directory}"
    return [*java, *program, master, "--job-host=localhost", f"--job-port={port}", *others, artifacts]


def _program(options: PipelineOptions) -> list[str]:
    """Java's arguments for the jar, or the directory of jars, that is given; else for the jar that Beam fetches."""
    jar = options.view_as(FlinkRunnerOptions).flink_job_server_jar
    if jar and os.path.isdir(jar):
        if not any(name.endswith(".jar") for name in os.listdir(jar)):
            raise ConfigError(f"--flink_job_server_jar={jar}: no jar is in this directory")
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
            f"{jar} cannot be fetched ({error}): name a job server's jar, or a directory of its jars, by "
            "--flink_job_server_jar"
        ) from error
