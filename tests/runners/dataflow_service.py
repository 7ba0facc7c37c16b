"""As much of the Dataflow service as one job needs: it takes the job and tells states, messages and counters."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

JOB = "2026-11-21_04_05_06-1234567890"


@dataclass
class Service:
    """What the service does with the one job that it is given, and what it was asked."""

    states: list[str] = field(default_factory=lambda: ["JOB_STATE_RUNNING", "JOB_STATE_DONE"])
    """One for each question after the state; the last one stays."""
    messages: list[dict[str, Any]] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)
    refusal: int | None = None
    job: dict[str, Any] = field(default_factory=dict)
    requested: list[int] = field(default_factory=list)

    def answer(self, method: str, path: str, body: bytes) -> tuple[int, dict[str, Any]]:
        """The status and JSON for one request."""
        place = path.partition("?")[0]
        if method == "POST" and place.endswith("/jobs"):
            self.job = json.loads(body)
            said = {"id": JOB, "name": self.job["name"], "clientRequestId": self.job["clientRequestId"]}
            return (self.refusal, {"error": {"message": "no quota"}}) if self.refusal else (200, said)
        if method == "PUT":
            self.requested.append(json.loads(body)["requestedState"])
            self.states = ["JOB_STATE_CANCELLED"]
        if place.endswith("/messages"):
            return 200, {"jobMessages": self.messages}
        if place.endswith("/metrics"):
            return 200, {"metrics": [one for item in self.counts.items() for one in self._metrics(*item)]}
        return 200, {"id": JOB, "currentState": self.states.pop(0) if len(self.states) > 1 else self.states[0]}

    def _metrics(self, name: str, count: int) -> Iterator[dict[str, Any]]:
        """A counter as the service tells it: what counts, and what was tried, with what ran twice."""
        context = {"namespace": self.job["labels"]["stage"], "step": "s1"}
        yield {"name": {"origin": "user", "name": name, "context": context}, "scalar": count}
        tried = {**context, "tentative": "true"}
        yield {"name": {"origin": "user", "name": name, "context": tried}, "scalar": count * 2}


@contextmanager
def serving(service: Service) -> Iterator[str]:
    """The address at which a service answers until the block ends."""

    class Handler(BaseHTTPRequestHandler):
        def _answer(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            status, said = service.answer(self.command, self.path, body)
            data = json.dumps(said).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        do_GET = do_POST = do_PUT = _answer  # noqa: N815

        def log_message(self, *_: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield f"http://localhost:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()
