"""The server over HTTP: who gets in, and the same conversation as over stdio."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
from assistants_samples import ENDLESS_SCRIPT, alive, started, until
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

TOKEN = "a-token-of-some-length"


@pytest.fixture
def server(root: Path) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    words = [sys.executable, "-m", "traindx", "mcp", "--root", str(root), "--http", "0"]
    environment = {**os.environ, "TRAINDX_MCP_TOKEN": TOKEN}
    process = subprocess.Popen(words, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True, env=environment)
    assert process.stderr is not None
    line = process.stderr.readline()
    assert TOKEN not in line
    yield line.split("serving on ")[1].split()[0], process
    process.kill()
    process.wait()
    process.stderr.close()


def client_with(token: str | None = TOKEN, **headers: str) -> Any:
    bearer = {} if token is None else {"Authorization": f"Bearer {token}"}
    return httpx2.AsyncClient(headers={**bearer, **headers}, timeout=60)


def test_who_gets_in(server: Any) -> None:
    url, _ = server
    port = url.split(":")[2].split("/")[0]

    async def status(**headers: Any) -> int:
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
        async with client_with(headers.pop("token", TOKEN), **headers) as http:
            accept = {"Accept": "application/json, text/event-stream"}
            return int((await http.post(url, json=body, headers=accept)).status_code)

    async def main() -> None:
        assert await status(token=None) == 401
        assert await status(token="another-token-of-that-length") == 401
        assert await status(token=TOKEN[:-1]) == 401
        assert await status(Host="evil.example") == 421
        assert await status(Host=f"127.0.0.1.evil.example:{port}") == 421
        assert await status(Host="127.0.0.1:1") == 421
        assert await status(Origin="http://evil.example") == 403
        assert await status(Origin=f"http://localhost:{port}.evil.example") == 403
        assert await status(Origin="null") == 403
        assert await status() not in (401, 403, 421)

    anyio.run(main)


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_a_conversation_over_http(server: Any, root: Path, mode: str) -> None:
    url, process = server
    (root / "train.py").write_text(ENDLESS_SCRIPT)
    told: list[float] = []

    async def progress(gone: float, allowed: float | None, message: str | None) -> None:
        told.append(gone)

    async def main() -> None:
        async with client_with() as http, Client(streamable_http_client(url, http_client=http), mode=mode) as client:
            found = await client.call_tool("diagnose", {"path": "log.csv"}, progress_callback=progress)
            assert found.structured_content["diagnoses"][0]["verdict"] == "sick"
            assert told
            async with anyio.create_task_group() as calls:
                calls.start_soon(client.call_tool, "run", {"script": "train.py"})
                pids = await started(root)
                calls.cancel_scope.cancel()
            await until(lambda: not any(map(alive, pids)))
        assert process.poll() is None

    anyio.run(main)


@pytest.mark.skipif(not Path("/proc").exists(), reason="finds processes in /proc")
@pytest.mark.parametrize("how", ["terminate", "kill"])
def test_a_server_that_is_ended_ends_its_children(server: Any, root: Path, how: str) -> None:
    url, process = server
    (root / "train.py").write_text(ENDLESS_SCRIPT)

    seen: list[int] = []

    async def main() -> None:
        async with (
            client_with() as http,
            Client(streamable_http_client(url, http_client=http)) as client,
            anyio.create_task_group() as calls,
        ):
            calls.start_soon(client.call_tool, "run", {"script": "train.py"})
            seen.extend(await started(root))
            getattr(process, how)()

    with suppress(Exception):  # the client loses its connection
        anyio.run(main)
    assert seen
    script, started_by_it = seen
    anyio.run(until, lambda: not alive(script))
    if how == "kill":  # nobody is left who knows of it
        os.kill(started_by_it, signal.SIGKILL)
    anyio.run(until, lambda: not alive(started_by_it))


def test_a_short_token_and_a_taken_port_are_one_line(server: Any, root: Path, monkeypatch: Any, capsys: Any) -> None:
    from traindx.__main__ import main

    port = server[0].split(":")[2].split("/")[0]
    monkeypatch.setenv("TRAINDX_MCP_TOKEN", "short")
    assert main(["mcp", "--http", "0"]) == 2
    assert "at least 16 characters" in capsys.readouterr().err
    monkeypatch.setenv("TRAINDX_MCP_TOKEN", TOKEN)
    assert main(["mcp", "--http", port]) == 2
    assert f"port {port} cannot be used" in capsys.readouterr().err


def test_a_missing_sdk_and_a_missing_folder_are_one_line(monkeypatch: Any, capsys: Any) -> None:
    from traindx.__main__ import main
    from traindx.commands import mcp as verb

    assert main(["mcp", "--root", "/nowhere/at/all"]) == 2
    assert capsys.readouterr().err == "traindx mcp: --root /nowhere/at/all is not a folder\n"
    monkeypatch.setattr(verb, "find_spec", lambda name: None)
    assert main(["mcp"]) == 2
    assert 'pip install "traindx[mcp]"' in capsys.readouterr().err
