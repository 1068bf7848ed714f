"""A folder as a user has it, and clients of the SDK that talk to a server about it."""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import anyio
import pytest

pytest.importorskip("mcp")

from assistants_samples import write_overfitting_log
from mcp import Client
from mcp.client.stdio import StdioServerParameters

from traindx.consult.assistants.door import Door
from traindx.consult.assistants.folders import Folders
from traindx.consult.assistants.server import build_server

Talk = Callable[[Client], Awaitable[Any]]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """The allowed folder; its parent is outside."""
    folder = tmp_path / "project"
    folder.mkdir()
    write_overfitting_log(folder / "log.csv")
    return folder


@pytest.fixture
def door(root: Path) -> Door:
    return Door(Folders.of([root]))


@pytest.fixture
def talk(door: Door) -> Callable[[Talk], Any]:
    """Talks to a server in this process; its children are real ones."""

    def run(conversation: Talk, **client: Any) -> Any:
        async def main() -> Any:
            async with Client(build_server(door), **client) as connected:
                return await conversation(connected)

        return anyio.run(main)

    return run


@pytest.fixture
def call(talk: Callable[[Talk], Any]) -> Callable[..., Any]:
    """One call of one tool."""

    def run(tool: str, **arguments: Any) -> Any:
        return talk(lambda client: client.call_tool(tool, arguments))

    return run


@pytest.fixture
def over_stdio(root: Path) -> Callable[..., Any]:
    """Talks to `traindx mcp` as a client starts it."""

    def run(conversation: Talk, *options: str, **client: Any) -> Any:
        command = [sys.executable, "-m", "traindx", "mcp", "--root", str(root), *options]

        async def main() -> Any:
            parameters = StdioServerParameters(command=command[0], args=command[1:], cwd=root)
            async with Client(parameters, **client) as connected:
                return await conversation(connected)

        return anyio.run(main)

    return run
