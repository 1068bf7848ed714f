"""Serve traindx to coding assistants over the Model Context Protocol.

Assistants can then diagnose logs and records, run and check scripts, read
series, explain causes, test fixes and, after a confirmation, apply them. The
client starts this command itself and talks to it over stdin and stdout; see
docs/assistants.md for its configuration. Assistants can use only the folder
named by --root; work runs in child processes with time limits.

--http serves only this machine (127.0.0.1) and requires a token: the value of
the environment variable TRAINDX_MCP_TOKEN, or a new one, which is printed.
"""

from __future__ import annotations

import argparse
import os
import secrets
import socket
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from ._say import CommandError, complain

if TYPE_CHECKING:
    from ..consult.assistants.door import Door

HELP = "serve the same abilities to coding assistants (MCP)"
TOKEN = "TRAINDX_MCP_TOKEN"
SHORTEST_TOKEN = 16


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--root",
        type=Path,
        action="append",
        default=[],
        metavar="DIR",
        help="a folder that assistants may use (default: the working folder; may be repeated)",
    )
    parser.add_argument(
        "--read-only", action="store_true", help="no tool that edits a file or runs a script without isolation"
    )
    parser.add_argument(
        "--max-seconds",
        type=float,
        default=600.0,
        metavar="S",
        help="longest time that a call may ask for (default 600)",
    )
    parser.add_argument(
        "--http",
        type=int,
        metavar="PORT",
        help="serve over HTTP on 127.0.0.1 instead of stdin and stdout (0: any port)",
    )


def run(arguments: argparse.Namespace) -> int:
    for folder in arguments.root:
        if not folder.is_dir():
            raise CommandError(f"--root {folder} is not a folder")
    if not arguments.max_seconds > 0:
        raise CommandError("--max-seconds must be positive")
    if find_spec("mcp") is None:
        raise CommandError('the Model Context Protocol SDK is missing: pip install "traindx[mcp]"')
    from ..consult.assistants.door import Door
    from ..consult.assistants.folders import Folders
    from ..consult.assistants.transports import serve_stdio

    door = Door(Folders.of(arguments.root), arguments.max_seconds, arguments.read_only)
    if arguments.http is not None:
        return _over_http(door, arguments.http)
    if sys.stdin.isatty():
        complain("mcp", "waiting for a client on standard input (Ctrl-C ends it); see docs/assistants.md")
    serve_stdio(door)
    return 0


def _over_http(door: Door, port: int) -> int:
    from ..consult.assistants.transports import PATH, listen, serve_http

    token = os.environ.get(TOKEN)
    if token is not None and len(token) < SHORTEST_TOKEN:
        raise CommandError(f"{TOKEN} must have at least {SHORTEST_TOKEN} characters")
    try:
        listening: socket.socket = listen(port)
    except (OSError, OverflowError) as error:
        raise CommandError(f"port {port} cannot be used ({error})") from None
    host, bound = listening.getsockname()
    complain("mcp", f"serving on http://{host}:{bound}{PATH} for {', '.join(map(str, door.folders.roots))}")
    if token is None:
        token = secrets.token_urlsafe(32)
        complain("mcp", f"send the header  Authorization: Bearer {token}")
    sys.stderr.flush()
    serve_http(door, listening, token)
    return 0
