"""Run in a process of its own: loads all that is pickled in the graphs whose files are named, as a worker would.

Prints JSON: for each graph, the type of each loaded object by the transform or coder that holds it; and the modules
that were imported from the project's folder.
"""

import json
import sys
from pathlib import Path

from apache_beam.internal import pickler
from apache_beam.portability.api import beam_runner_api_pb2


def pickled(graph):
    """Names and payloads of everything that is pickled in a graph."""
    for transform in graph.components.transforms.values():
        if "pickled_python" in transform.spec.urn:
            yield transform.unique_name, transform.spec.payload
        if transform.spec.urn == "beam:transform:pardo:v1":
            payload = beam_runner_api_pb2.ParDoPayload.FromString(transform.spec.payload)
            yield transform.unique_name, payload.do_fn.payload
            for name, side in payload.side_inputs.items():
                yield f"{transform.unique_name} {name} view", side.view_fn.payload
                yield f"{transform.unique_name} {name} window", side.window_mapping_fn.payload


def described(loaded):
    """What a payload holds: a DoFn comes with its arguments and windowing."""
    function = loaded[0] if isinstance(loaded, tuple) else loaded
    task = getattr(function, "_task", None)
    return f"{type(function).__module__}.{type(function).__name__}" + (f" {type(task).__name__}" if task else "")


if __name__ == "__main__":
    found = []
    for path in sys.argv[2:]:
        graph = beam_runner_api_pb2.Pipeline.FromString(Path(path).read_bytes())
        found.append({name: described(pickler.loads(payload)) for name, payload in pickled(graph)})
    files = {name: str(getattr(module, "__file__", "")) for name, module in sys.modules.items()}
    own = sorted(name for name, file in files.items() if file.startswith(sys.argv[1]))
    print(json.dumps({"loaded": found, "modules": own}))
