"""How clients reach the server: over stdin and stdout, or over HTTP on this machine with a token."""

from __future__ import annotations

import hmac
import os
import signal
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager

import anyio
import uvicorn
from mcp.server.auth.middleware.bearer_auth import BearerAuthBackend, RequireAuthMiddleware
from mcp.server.auth.provider import AccessToken
from mcp.server.transport_security import TransportSecuritySettings
from starlette.middleware.authentication import AuthenticationMiddleware
from starlette.types import ASGIApp, Receive, Scope, Send

from .door import Door, kill_running
from .server import build_server

HOST = "127.0.0.1"  # never another host, because the token is not encrypted
PATH = "/mcp"
MOST_CONNECTIONS = 128
ENDING = (signal.SIGTERM, signal.SIGINT, *([signal.SIGHUP] if hasattr(signal, "SIGHUP") else []))


def serve_stdio(door: Door) -> None:
    """Serve one client until it closes stdin."""

    async def main() -> None:
        async with _children_end_with_us():
            await build_server(door).run_stdio_async()

    anyio.run(main)


@asynccontextmanager
async def _children_end_with_us() -> AsyncIterator[None]:
    """Kill the children before a signal ends this process. The process must exit by itself, because the thread that
    waits for stdin cannot be interrupted."""

    async def watch() -> None:
        with anyio.open_signal_receiver(*ENDING) as signals:
            async for number in signals:
                kill_running()
                os._exit(128 + number)

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(watch)
        yield
        tasks.cancel_scope.cancel()


def serve_http(door: Door, listening: socket.socket, token: str) -> None:
    """Serve clients that send the token, until a signal ends this process."""
    app = http_app(door, listening.getsockname()[1], token)

    async def main() -> None:
        async with _children_end_with_us():
            await _Server(uvicorn.Config(app, log_level="error", limit_concurrency=MOST_CONNECTIONS)).serve(
                sockets=[listening]
            )

    anyio.run(main)


class _Server(uvicorn.Server):
    """Does not handle signals: uvicorn would end before the children, which it does not know."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


def http_app(door: Door, port: int, token: str) -> ASGIApp:
    """The server as an ASGI app. It answers 401 without the token, 421 to another Host, 403 to another Origin."""
    names = (f"{HOST}:{port}", f"localhost:{port}")
    security = TransportSecuritySettings(
        allowed_hosts=list(names), allowed_origins=[f"http://{name}" for name in names]
    )
    app = build_server(door).streamable_http_app(streamable_http_path=PATH, transport_security=security, host=HOST)
    guarded = AuthenticationMiddleware(RequireAuthMiddleware(app, []), backend=BearerAuthBackend(OneToken(token)))

    async def serve(scope: Scope, receive: Receive, send: Send) -> None:
        # Lifespan events come from uvicorn itself and carry no token.
        await (app if scope["type"] == "lifespan" else guarded)(scope, receive, send)

    return serve


class OneToken:
    """Accepts one token, compared in constant time."""

    def __init__(self, token: str) -> None:
        self._token = token.encode()

    async def verify_token(self, token: str) -> AccessToken | None:
        if not hmac.compare_digest(token.encode("utf-8", "replace"), self._token):
            return None
        return AccessToken(token=token, client_id="traindx", scopes=[])


def listen(port: int) -> socket.socket:
    """A listening socket on this machine; port 0 chooses a free one. Raises OSError if the port is taken."""
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        if os.name == "posix":
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((HOST, port))
        listening.listen()  # clients may connect before the server is up
    except BaseException:
        listening.close()
        raise
    return listening
