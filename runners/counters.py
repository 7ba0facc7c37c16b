"""What a runner counted of a stage, read from Beam's metrics."""

from typing import Any

from apache_beam.metrics import MetricsFilter

from conceptloom.transforms.blocks import TASKS


def counters(result: Any, stage: str) -> dict[str, int]:
    """Returns the stage's counters by name (`read`, `kept`, `rejected_REASON`), and its tasks'; empty where there are none.

    A runner that had to try a bundle again may count it twice: the ledger, made of what was written, is the truth.
    """
    # A result keeps the first answer that it got, which may be that of a job that was still running.
    result._metrics = None
    found = result.metrics().query(MetricsFilter().with_namespaces([stage, TASKS]))["counters"]
    counts: dict[str, int] = {}
    for one in found:
        name = one.key.metric.name
        counts[name] = counts.get(name, 0) + int(one.committed if one.committed is not None else one.attempted or 0)
    return dict(sorted(counts.items()))
