"""An emulator of Google Cloud Storage behind a proxy of our own, which counts, cuts and refuses what passes through."""

import http.client
import json
import re
import runpy
import socket
import subprocess
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

BUCKET = "loom"
CUT = 0
"""What a fault answers to have the connection cut in the middle of the request."""

SCRIPT = Path(__file__).resolve().parents[1] / "scripts" / "test_environments.py"


class Store(ThreadingHTTPServer):
    """The proxy. `fault` sees each upload's number, from 1 on, and answers the HTTP status to refuse it with, or None.

    The emulator's own fault, the address at which it offers an object, is mended on the way: it is not quoted there.
    """

    daemon_threads = True

    def __init__(self, emulator: int) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.emulator = emulator
        self.forget()

    @property
    def address(self) -> str:
        """Host and port."""
        return f"127.0.0.1:{self.server_port}"

    def forget(self) -> None:
        """Forgets the requests so far, and the fault."""
        self.requests: list[str] = []
        self.uploads = 0
        self.fault: Callable[[int], int | None] = lambda number: None
        self.counting = threading.Lock()

    def environment(self) -> dict[str, str]:
        """What a process wants to find the emulator."""
        return {"STORAGE_EMULATOR_HOST": f"http://{self.address}"}

    def public(self) -> dict[str, str]:
        """The same as a store of Google's own; whoever looks for credentials asks here for them."""
        return {"API_ENDPOINT_OVERRIDE": f"http://{self.address}", "GCE_METADATA_IP": self.address}

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that was killed is none of the proxy's business."""


class _Handler(BaseHTTPRequestHandler):
    server: Store

    def _pass(self) -> None:
        with self.server.counting:
            self.server.requests.append(f"{self.command} {self.path}")
            is_upload = self.command == "PUT"
            self.server.uploads += is_upload
            fault = self.server.fault(self.server.uploads) if is_upload else None
        size = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(size if fault is None else size // 2)
        if fault == CUT:
            self.connection.shutdown(socket.SHUT_RDWR)
        elif fault is not None:
            self._answer(fault, {}, b"")
        else:
            self._answer(*self._ask(body))

    do_GET = do_POST = do_PUT = do_DELETE = do_PATCH = _pass  # noqa: N815

    def _ask(self, body: bytes) -> tuple[int, dict[str, str], bytes]:
        connection = http.client.HTTPConnection("127.0.0.1", self.server.emulator)
        connection.request(self.command, self.path, body, dict(self.headers))
        answer = connection.getresponse()
        headers, data = dict(answer.getheaders()), answer.read()
        connection.close()
        if "Location" in headers:
            headers["Location"] = self._here(headers["Location"])
        if headers.get("Content-type") == "application/json":
            data = json.dumps(self._mended(json.loads(data))).encode()
        return answer.status, headers, data

    def _here(self, address: str) -> str:
        return address.replace(f"127.0.0.1:{self.server.emulator}", self.server.address)

    def _mended(self, found: dict) -> dict:
        for item in (found, *found.get("items", ())):
            if "mediaLink" in item:
                link = self._here(item["mediaLink"])
                head, name, tail = re.fullmatch(r"(.*?/o/)(.*)(\?generation.*)", link, re.S).groups()
                item["mediaLink"] = head + urllib.parse.quote(name, safe="") + tail
        return found

    def _answer(self, status: int, headers: dict[str, str], data: bytes) -> None:
        self.send_response_only(status)
        for name, value in headers.items():
            if name not in ("Content-Length", "Server", "Date"):
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


@contextmanager
def running_store() -> Iterator[Store]:
    """A store with the empty bucket `loom`; skips the test where the emulator is not installed."""
    directory = runpy.run_path(str(SCRIPT))["ROOT"] / "storage"
    if not (directory / "READY").exists():
        pytest.skip("no emulator of object storage: python scripts/test_environments.py storage")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [directory / "bin" / "gcp-storage-emulator", "start", "--host=127.0.0.1", f"--port={port}"]
    process = subprocess.Popen([*command, "--in-memory", f"--default-bucket={BUCKET}", "--quiet"])
    try:
        _wait(f"http://127.0.0.1:{port}/", process)
        with Store(port) as store:
            threading.Thread(target=store.serve_forever, daemon=True).start()
            yield store
            store.shutdown()
    finally:
        process.terminate()
        process.wait(10)


def _wait(address: str, process: "subprocess.Popen[bytes]") -> None:
    end = time.monotonic() + 30
    while True:
        try:
            with urllib.request.urlopen(address, timeout=5):
                return
        except (urllib.error.URLError, OSError):
            assert process.poll() is None, "the emulator did not start"
            assert time.monotonic() < end, "the emulator does not answer"
            time.sleep(0.1)
