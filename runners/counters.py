"""The counters of a stage, read from Beam's metrics."""

from apache_beam.metrics import MetricsFilter
from apache_beam.runners.runner import PipelineResult

from conceptloom.transforms.blocks import TASKS


def counters(result: PipelineResult, stage: str) -> dict[str, int]:
    """Returns the counters of a stage (`read`, `kept`, `rejected_REASON`) and of its tasks; empty if there are none.

    A runner that retries a bundle may count it twice; only the ledger, made from the files written, is exact.
    """
    # A result caches the first metrics that it gets, which may be those of a job that was still running.
    result._metrics = None
    found = result.metrics().query(MetricsFilter().with_namespaces([stage, TASKS]))["counters"]
    counts: dict[str, int] = {}
    for one in found:
        name = one.key.metric.name
        counts[name] = counts.get(name, 0) + int(one.committed if one.committed is not None else one.attempted or 0)
    return dict(sorted(counts.items()))
