"""Serve traindx to coding assistants by the Model Context Protocol.

Assistants can then diagnose logs and records, run and check scripts, read
series, explain causes, test fixes and, after a confirmation, apply them. The
client starts this command itself and talks to it over stdin and stdout; see
docs/assistants.md for its configuration. Everything happens inside the folder
named by --root; work runs in child processes with time limits.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from ._errors import CommandError

HELP = "serve the same abilities to coding assistants (MCP)"
MISSING = 'traindx mcp needs the Model Context Protocol SDK: pip install "traindx[mcp]"'


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--root",
        type=Path,
        action="append",
        default=[],
        metavar="DIR",
        help="a folder that assistants may use (default: the working folder; may be repeated)",
    )
    parser.add_argument("--read-only", action="store_true", help="no tool that runs a script for real or edits a file")
    parser.add_argument(
        "--max-seconds",
        type=float,
        default=600.0,
        metavar="S",
        help="longest time that one call may ask for (default 600)",
    )


def run(arguments: argparse.Namespace) -> int:
    for folder in arguments.root:
        if not folder.is_dir():
            raise CommandError(f"--root {folder} is not a folder")
    if not arguments.max_seconds > 0:
        raise CommandError("--max-seconds must be positive")
    try:
        import mcp.server.mcpserver  # noqa: F401
    except ImportError:
        raise CommandError(MISSING.removeprefix("traindx mcp ")) from None
    from ..consult.assistants.door import Door
    from ..consult.assistants.folders import Folders
    from ..consult.assistants.transports import serve_stdio

    door = Door(Folders.of(arguments.root), arguments.max_seconds, arguments.read_only)
    serve_stdio(door)
    return 0
