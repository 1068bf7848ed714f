"""The HTTP server: one page and one stream of events, for requests with the token."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Callable, Sequence
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from ...record import Run
from ..page import Feed, document
from .access import HOST, allowed, port_of, token_of
from .following import Following
from .hooks import Hook
from .hub import Hub
from .source import Source

MOST_VIEWERS = 32
MOST_CONNECTIONS = 128  # each takes a thread, even a connection without the token
HEARTBEAT_SECONDS = 5.0
APART_SECONDS = 0.1  # at most ten updates a second reach a viewer
HEADERS = {
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "X-Frame-Options": "DENY",
    "Content-Security-Policy": "frame-ancestors 'none'",
    "Cross-Origin-Resource-Policy": "same-origin",
}


class LiveServer(ThreadingHTTPServer):
    """Listens on this machine only. `address` is the URL to open."""

    daemon_threads = True
    block_on_close = False

    def __init__(self, record: Path, hub: Hub, port: int | None = None) -> None:
        self.hub = hub
        self.token = token_of(record)
        self.viewers = 0
        self.last_viewer = 0.0  # monotonic time at which the last viewer left; 0 if there was none
        self.connections = 0
        self.counting = threading.Lock()
        self.closing = threading.Event()
        super().__init__((HOST, _free(record) if port is None else port), _Handler)

    @property
    def port(self) -> int:
        return int(self.server_address[1])

    @property
    def address(self) -> str:
        return f"http://{HOST}:{self.port}/?token={self.token}"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Print nothing: a viewer who left is not an error, and the terminal belongs to the user."""

    def process_request(self, request: Any, client_address: Any) -> None:
        with self.counting:
            full = self.connections >= MOST_CONNECTIONS
            self.connections += 0 if full else 1
        if full:
            self.shutdown_request(request)
        else:
            super().process_request(request, client_address)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        try:
            super().process_request_thread(request, client_address)
        finally:
            with self.counting:
                self.connections -= 1

    def close(self) -> None:
        self.closing.set()
        self.shutdown()
        self.server_close()


def follow(
    path: Path,
    read: Callable[[], Run],
    *,
    port: int | None = None,
    hooks: Sequence[Hook] = (),
    complain: Callable[[str], None] = print,
) -> tuple[LiveServer, Following]:
    """Serve the page of one run and start to follow it. Raises OSError if the port is taken."""
    hub = Hub()
    server = LiveServer(path, hub, port)
    following = Following(Source(path, read), hub, hooks, complain)
    following.start()
    threading.Thread(target=server.serve_forever, name="traindx-live", daemon=True).start()
    return server, following


def _free(record: Path) -> int:
    """The record's usual port, or 0 (any free port) if that is taken."""
    wanted = port_of(record)
    with socket.socket() as trial:
        trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            trial.bind((HOST, wanted))
        except OSError:
            return 0
    return wanted


class _Handler(BaseHTTPRequestHandler):
    server: LiveServer
    protocol_version = "HTTP/1.1"
    server_version = "traindx"
    sys_version = ""
    timeout = 60.0

    def log_message(self, format: str, *args: Any) -> None:
        """Print nothing: the terminal belongs to the user."""

    def do_GET(self) -> None:
        headers = {name.lower(): value for name, value in self.headers.items()}
        if not allowed(self.path, headers, self.server.token, self.server.port):
            self._answer(HTTPStatus.FORBIDDEN, "403: open the address that traindx printed, including its token.")
            return
        where = urlsplit(self.path).path
        if where == "/":
            self._page()
        elif where == "/events":
            self._events()
        else:
            self._answer(HTTPStatus.NOT_FOUND, "404: there is nothing here.")

    def _page(self) -> None:
        latest = self.server.hub.latest()
        if latest is None:
            self._answer(HTTPStatus.SERVICE_UNAVAILABLE, "The run cannot be read yet; reload in a moment.")
            return
        mark, report = latest
        page = document([report], Feed(f"/events?token={self.server.token}", mark))
        self._answer(HTTPStatus.OK, page, "text/html; charset=utf-8")

    def _answer(self, status: HTTPStatus, text: str, kind: str = "text/plain; charset=utf-8") -> None:
        body = text.encode("utf-8")
        self.send_response(status)
        for name, value in {**HEADERS, "Content-Type": kind, "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(body)
        self.close_connection = True

    def _events(self) -> None:
        server = self.server
        with server.counting:
            full = server.viewers >= MOST_VIEWERS
            server.viewers += 0 if full else 1
        if full:
            self._answer(HTTPStatus.SERVICE_UNAVAILABLE, "There are too many viewers.")
            return
        try:
            self._stream()
        except OSError:
            pass  # the viewer left
        finally:
            with server.counting:
                server.viewers -= 1
                server.last_viewer = time.monotonic()

    def _stream(self) -> None:
        self.send_response(HTTPStatus.OK)
        for name, value in {**HEADERS, "Content-Type": "text/event-stream"}.items():
            self.send_header(name, value)
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True
        asked = parse_qs(urlsplit(self.path).query).get("after", [""])[0]
        mark = self.headers.get("Last-Event-ID") or asked
        hub = self.server.hub
        while not self.server.closing.is_set():
            messages = hub.after(mark, HEARTBEAT_SECONDS)
            if messages is None:  # the mark is unknown: start again with the whole report
                latest = hub.latest(HEARTBEAT_SECONDS)
                if latest is not None:
                    mark = latest[0]
                    self._send("full", latest[1], mark)
                continue
            for message in messages:
                mark = hub.mark(message.number)
                self._send(message.kind, message.content, mark)
            self._send("ping", {"time": time.time()}, mark)
            time.sleep(APART_SECONDS)

    def _send(self, kind: str, content: dict[str, Any], mark: str) -> None:
        data = json.dumps(content, allow_nan=False, separators=(",", ":"))
        self.wfile.write(f"id: {mark}\nevent: {kind}\ndata: {data}\n\n".encode())
        self.wfile.flush()
