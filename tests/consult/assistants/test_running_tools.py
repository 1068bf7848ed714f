"""Tools that run scripts: their limits, and that nothing outlives a call."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import anyio
import pytest
from assistants_samples import ENDLESS_SCRIPT, SICK_SCRIPT, alive, said, started, until
from mcp import Client

from traindx.consult.assistants.declaring import all_tools
from traindx.consult.assistants.door import Door


def test_a_script_is_run_for_real_and_diagnosed(talk: Any, root: Path) -> None:
    (root / "train.py").write_text(SICK_SCRIPT)

    async def conversation(client: Client) -> None:
        done = await client.call_tool("run", {"script": "train.py", "max_steps": 900})
        found = done.structured_content
        assert (found["exit_code"], found["ended"]) == (0, "by itself")
        assert found["diagnosis"]["hypotheses"][0]["cause"] == "double-softmax"
        assert "nn.Softmax" in found["diagnosis"]["hypotheses"][0]["fix"]["patch"]
        assert "last loss" in found["stdout_end"]
        assert (root / "checkpoint.txt").exists(), "a run is the real thing"
        record = found["record"]
        curves = (await client.call_tool("read_series", {"path": record, "points": 30})).structured_content
        curve = next(one for one in curves["series"] if one["name"] == "loss/train")
        assert len(curve["steps"]) <= 30 < curve["recorded_points"] == 800
        assert (curve["steps"][0], curve["steps"][-1]) == (0, 799)
        assert "loss/train" in said(await client.call_tool("read_series", {"path": record, "names": ["nothing"]}))
        listed = (await client.call_tool("read_layers", {"path": record})).structured_content["available"]
        assert "grad_norm" in [one["quantity"] for one in listed]
        table = (await client.call_tool("read_layers", {"path": record, "quantity": "grad_norm"})).structured_content
        assert len(table["layers"][0]["values"]) == len(table["steps"]) <= 10
        runs = (await client.call_tool("list_runs", {})).structured_content
        assert [Path(one["path"]).name for one in runs["records"]] == [Path(record).name]
        assert [Path(one["path"]).name for one in runs["logs"]] == ["log.csv"]

    talk(conversation)


def test_a_check_leaves_nothing_behind(call: Any, root: Path) -> None:
    (root / "train.py").write_text(SICK_SCRIPT)
    before = sorted(root.iterdir())
    answer = call("check", script="train.py", steps=60).structured_content
    assert next(iter(answer)) == "headline" and "failed: " in answer["headline"]
    found = answer["diagnosis"]
    assert "loss-inputs" in [one["id"] for one in found["checks"] if one["status"] == "failed"]
    assert sorted(root.iterdir()) == before


def test_the_time_limit_ends_a_script_and_keeps_its_record(call: Any, root: Path) -> None:
    (root / "train.py").write_text(ENDLESS_SCRIPT)
    for seconds in (5, 30, 120):  # a busy machine may not have started the script when its time is up
        done = call("run", script="train.py", seconds=seconds).structured_content
        assert done["ended"] == "time limit"
        if (root / "pids").exists():
            break
    assert (root / done["record"]).exists()
    assert not any(alive(int(word)) for word in (root / "pids").read_text().split())


def test_scripts_must_lie_inside(call: Any, root: Path) -> None:
    (root.parent / "outside.py").write_text("open('made', 'w')")
    (root / "link.py").symlink_to(root.parent / "outside.py")
    for script in ("../outside.py", str(root.parent / "outside.py"), "link.py"):
        for tool in ("run", "check", "find_learning_rate"):
            assert "outside the allowed folders" in said(call(tool, script=script))
    assert "no module" in said(call("run", script="http.server", module=True))
    assert "call diagnose" in said(call("run", script="log.csv"))
    (root / "train.py").write_text("print('no training')")
    assert "between 0 and 600" in said(call("run", script="train.py", seconds=1e9))
    assert "outside the allowed folders" in said(call("run", script="train.py", folder=".."))
    (root / "traindx-runs").symlink_to(root.parent)
    assert "outside the allowed folders" in said(call("run", script="train.py"))
    assert not (root.parent / "made").exists()


def test_a_script_with_a_mistake_is_told(call: Any, root: Path) -> None:
    (root / "train.py").write_text("this is no Python")
    assert "train.py, line 1" in said(call("run", script="train.py"))


@pytest.mark.skipif(not Path("/proc").exists(), reason="finds processes in /proc")
@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_a_cancelled_call_ends_its_processes(over_stdio: Any, root: Path, mode: str) -> None:
    (root / "train.py").write_text(ENDLESS_SCRIPT)

    async def conversation(client: Client) -> None:
        async with anyio.create_task_group() as calls:
            calls.start_soon(client.call_tool, "run", {"script": "train.py"})
            pids = await started(root)
            calls.cancel_scope.cancel()
        await until(lambda: not any(map(alive, pids)))
        # The server is as good as before.
        assert not (await client.call_tool("explain", {"name": "overfitting"})).is_error

    over_stdio(conversation, mode=mode)


@pytest.mark.skipif(not Path("/proc").exists(), reason="finds processes in /proc")
def test_a_client_that_leaves_takes_everything_with_it(over_stdio: Any, root: Path) -> None:
    (root / "train.py").write_text(ENDLESS_SCRIPT)
    running: list[int] = []

    async def conversation(client: Client) -> None:
        with anyio.CancelScope() as leaving:
            async with anyio.create_task_group() as calls:
                calls.start_soon(client.call_tool, "run", {"script": "train.py"})
                running.extend(await started(root))
                leaving.cancel()

    over_stdio(conversation)
    anyio.run(until, lambda: not any(map(alive, running)))


def test_calls_at_the_same_time_do_not_mix(talk: Any) -> None:
    names = ["overfitting", "lr-too-high", "dead-relus", "double-softmax", "class-imbalance"]
    pages: dict[str, str] = {}

    async def conversation(client: Client) -> None:
        async def ask(name: str) -> None:
            pages[name] = (await client.call_tool("explain", {"name": name})).structured_content["markdown"]

        async with anyio.create_task_group() as calls:
            for name in names:
                calls.start_soon(ask, name)

    talk(conversation)
    assert all(f"`{name}`" in pages[name] for name in names)


def test_read_only_withholds_what_is_real(door: Door) -> None:
    every, kept = {tool.name for tool in all_tools()}, {tool.name for tool in all_tools(read_only=True)}
    assert "run" in every - kept
    assert {"diagnose", "explain", "check", "read_series"} <= kept
    for tool in all_tools():
        assert tool.annotations is not None
        assert tool.annotations.read_only_hint == (tool.name in kept), tool.name


def test_a_reading_child_opens_and_writes_nothing_outside(root: Path) -> None:
    from traindx.consult.assistants.door import Job, run_child

    (root.parent / "secret.csv").write_text("step,loss\n0,1\n")

    async def note(gone: float, allowed: float, last: str) -> None:
        pass

    async def main() -> None:
        for words in (
            ["diagnose", str(root.parent / "secret.csv")],
            ["diagnose", str(root / "log.csv"), "-o", str(root / "made.txt")],
            ["diagnose", str(root / "log.csv"), "-o", str(root.parent / "made.txt")],
        ):
            ended = await run_child(Job(words, root, 60, confined=[root]), note)
            assert ended.code == 2, words
            assert "Traceback" not in ended.err.decode()

    anyio.run(main)
    assert [path.name for path in root.iterdir()] == ["log.csv"]


def test_fixes_are_tested_and_nothing_is_left_behind(call: Any, root: Path) -> None:
    (root / "train.py").write_text(SICK_SCRIPT)
    before = sorted(root.iterdir())
    found = call("treat", script="train.py", seconds=300).structured_content["diagnosis"]["treatment"]
    assert (found["verdict"], found["cause"]) == ("cured", "double-softmax")
    assert found["confirmed_by_patched_run"] is True
    assert "nn.Softmax" in found["patch"]
    assert all("curves" not in trial for trial in found["trials"])
    assert sorted(root.iterdir()) == before
    assert (root / "train.py").read_text() == SICK_SCRIPT
