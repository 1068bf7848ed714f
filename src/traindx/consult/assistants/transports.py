"""How clients reach the server: over its stdin and stdout, or over HTTP on this machine."""

from __future__ import annotations

import anyio

from .door import Door
from .server import build_server


def serve_stdio(door: Door) -> None:
    """Serve one client until it closes our stdin."""
    anyio.run(build_server(door).run_stdio_async)
