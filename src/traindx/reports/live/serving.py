"""The HTTP server: one page and one stream of events, for requests with the token.

A record always has the same token on one machine, so that an open page finds a restarted server again. The token is
derived from a random secret in the user's state folder, which only the user can read.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import secrets
import socket
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import cache
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from ...paths import state_folder
from ...record import Run
from ..page import Feed, document, policy
from .alerts import Hook
from .following import Following, Hub, Source

HOST = "127.0.0.1"
NAMES = (HOST, "localhost")
PORTS = range(20_000, 32_000)  # below the ports that systems use for outgoing connections


def token_of(record: Path) -> str:
    return _digest(record, "token")[:43]


def port_of(record: Path) -> int:
    """The port to try first, always the same for a record."""
    return PORTS[int(_digest(record, "port")[:8], 16) % len(PORTS)]


def allowed(target: str, headers: Mapping[str, str], token: str, port: int) -> bool:
    """Whether a request has the token, names this server as its host, and does not come from a foreign page.

    A foreign page can make a browser send a request (its `Origin` then differs), or can let its own domain point to
    this machine (its `Host` then differs). Both are refused, whatever the token. Header names are in lower case.
    """
    given = parse_qs(urlsplit(target).query).get("token", [""])[0]
    hosts = {f"{name}:{port}" for name in NAMES}
    origin = headers.get("origin")
    return (
        hmac.compare_digest(given.encode("utf-8", "replace"), token.encode())
        and headers.get("host") in hosts
        and (origin is None or origin in {f"http://{host}" for host in hosts})
    )


def _digest(record: Path, purpose: str) -> str:
    return hmac.new(
        _secret(), f"{purpose}\0{record.resolve()}".encode("utf-8", "surrogateescape"), hashlib.sha256
    ).hexdigest()


def _secret() -> bytes:
    try:
        folder = state_folder()
        file = folder / "live-secret"
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        try:
            handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError:
            pass
        else:
            with os.fdopen(handle, "wb") as new:
                new.write(secrets.token_bytes(32))
        found = file.read_bytes()
        if len(found) == 32 and file.stat().st_mode & 0o077 == 0:
            return found
    except (OSError, RuntimeError):
        pass
    return _of_this_process()


@cache
def _of_this_process() -> bytes:
    """A secret for this process only, used if no file can keep one: the address then changes with every start."""
    return secrets.token_bytes(32)


MOST_VIEWERS = 32
MOST_CONNECTIONS = 128  # each takes a thread, even a connection without the token
GREETING_SECONDS = 10.0  # in which a connection has to show the token; else it is closed
HEARTBEAT_SECONDS = 5.0
APART_SECONDS = 0.1  # at most ten updates a second reach a viewer
FRAMES = "frame-ancestors 'none'"
HEADERS = {
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "X-Frame-Options": "DENY",
    "Content-Security-Policy": f"default-src 'none'; {FRAMES}",
    "Cross-Origin-Resource-Policy": "same-origin",
}
PLAIN = {"Content-Type": "text/plain; charset=utf-8"}


class LiveServer(ThreadingHTTPServer):
    """Listens on this machine only. `address` is the URL to open."""

    daemon_threads = True
    block_on_close = False
    request_queue_size = MOST_CONNECTIONS  # with the usual 5, a burst of connections makes a viewer wait for seconds

    def __init__(self, record: Path, hub: Hub, port: int | None = None) -> None:
        self.hub = hub
        self.token = token_of(record)
        self.viewers = 0
        self.last_viewer = 0.0  # monotonic time at which the last viewer left; 0 if there was none
        self.connections = 0
        self.greeting: dict[socket.socket, float] = {}  # connections that have not shown the token, and since when
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
        """Take a connection. If there are too many, the one that has waited longest without a token makes room."""
        with self.counting:
            crowded = self.connections >= MOST_CONNECTIONS
            evicted = next(iter(self.greeting), None) if crowded else None
            # An evicted connection takes its thread for another moment, so that there is a second, harder limit.
            full = (crowded and evicted is None) or self.connections >= 2 * MOST_CONNECTIONS
            if evicted is not None:
                _hang_up(evicted, self.greeting)
            if not full:
                self.connections += 1
                self.greeting[request] = time.monotonic()
        if full:
            self.shutdown_request(request)
            return
        try:
            super().process_request(request, client_address)
        except RuntimeError:  # no thread can be started
            self._over(request)
            raise

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._over(request)

    def _over(self, request: Any) -> None:
        with self.counting:
            self.connections -= 1
            self.greeting.pop(request, None)

    def service_actions(self) -> None:
        """Close connections that have not shown the token in time, also if they send a byte now and then."""
        late = time.monotonic() - GREETING_SECONDS
        with self.counting:
            for connection in [each for each, since in self.greeting.items() if since < late]:
                _hang_up(connection, self.greeting)

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


def _hang_up(connection: socket.socket, greeting: dict[socket.socket, float]) -> None:
    """End the connection for its thread, which then closes it."""
    del greeting[connection]
    with suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)


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
        with self.server.counting:
            self.server.greeting.pop(self.connection, None)
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
        allows = f"{policy(live=True)}; {FRAMES}"
        self._answer(
            HTTPStatus.OK, page, {"Content-Type": "text/html; charset=utf-8", "Content-Security-Policy": allows}
        )

    def _answer(self, status: HTTPStatus, text: str, headers: Mapping[str, str] = PLAIN) -> None:
        body = text.encode("utf-8")
        self._head(status, {**headers, "Content-Length": str(len(body))})
        self.wfile.write(body)

    def _head(self, status: HTTPStatus, headers: Mapping[str, str]) -> None:
        self.send_response(status)
        for name, value in {**HEADERS, **headers, "Connection": "close"}.items():
            self.send_header(name, value)
        self.end_headers()
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
        self._head(HTTPStatus.OK, {"Content-Type": "text/event-stream"})
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
