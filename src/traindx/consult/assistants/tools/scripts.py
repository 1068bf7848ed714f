"""Tools that run a script: for real under observation, or isolated."""

from __future__ import annotations

import re
import secrets
import time
from pathlib import Path
from typing import Annotated, Any

from mcp.server.mcpserver import Context
from mcp_types import CallToolResult, ToolAnnotations
from pydantic import Field

from ....wording import counted, num
from ..declaring import ISOLATED, NUMBER, TEXT, WHOLE, Folder, an_object, diagnosis_schema, maybe, tool
from ..door import Door, Job, answer, door_of, objects, with_options
from ..folders import Refusal

USUAL_SECONDS, TREATING_SECONDS = 300.0, 600.0
USUAL_STEPS = 500
SHOWN = 3000  # characters of the script's output
FOR_TRIALS = 0.8  # share of the time; the rest is for starting, and for the run that confirms the patch
CURVES = ("rates", "losses")  # left out: hundreds of numbers that an assistant does not need
Script = Annotated[str, Field(description="the training script, relative to folder; a module with module")]
Arguments = Annotated[list[str] | None, Field(description="the script's own arguments", max_length=200)]
AsModule = Annotated[bool, Field(description="run it as python -m does: script is then a dotted name")]
Seconds = Annotated[float | None, Field(description="end it after this many seconds")]


@tool(
    "Check a script before training (isolated)",
    ISOLATED,
    an_object({"diagnosis": diagnosis_schema()}),
)
async def check(
    ctx: Context[Door, Any],
    script: Script,
    arguments: Arguments = None,
    module: AsModule = False,
    folder: Folder = None,
    steps: Annotated[int, Field(description="steps allowed to overfit one batch", ge=1, le=5000)] = 200,
    seconds: Seconds = None,
) -> CallToolResult:
    """Check a training script before hours are spent on it: data, first loss, gradient flow, wiring, overfitting one
    batch.

    Runs the script several times for a few seconds, isolated: what it writes and deletes stays in a temporary overlay,
    the network is off, nothing is left behind. Returns the diagnosis of its first steps with `checks`: each has a
    `status` (passed, failed, doubtful, unasked) and a `text`. Use it when there is no log yet, or after a change.
    """
    door = door_of(ctx)
    place, words = _program(door, script, module, folder, arguments)
    job = Job(["check", "--format=json", f"--steps={steps}", *words], place, door.seconds(seconds, USUAL_SECONDS))
    found = objects("check", await door.child(ctx, "check", job))[0]
    failed = [one["text"] for one in found["checks"] if one["status"] == "failed"]
    told = f"{len(failed)} of {counted(len(found['checks']), 'check')} failed"
    return answer(f"{told}: {failed[0]}" if failed else told, {"diagnosis": found})


@tool(
    "Run a script for real, observed, and diagnose it",
    ToolAnnotations(read_only_hint=False, destructive_hint=True, idempotent_hint=False, open_world_hint=True),
    an_object(
        {
            "diagnosis": maybe(diagnosis_schema()),
            "record": maybe(TEXT),
            "exit_code": WHOLE,
            "ended": {"enum": ["by itself", "time limit"]},
            "seconds": NUMBER,
            "stdout_end": TEXT,
            "stderr_end": TEXT,
        }
    ),
    real=True,
)
async def run(
    ctx: Context[Door, Any],
    script: Script,
    arguments: Arguments = None,
    module: AsModule = False,
    folder: Folder = None,
    max_steps: Annotated[
        int, Field(description="end it after this many training steps", ge=1, le=1_000_000)
    ] = USUAL_STEPS,
    seconds: Seconds = None,
    deep: Annotated[bool, Field(description="also measure curvature, gradient noise, loss along the step")] = False,
) -> CallToolResult:
    """Run a training script under observation and diagnose it. This run has real effects; it is not isolated.

    The script runs unmodified with the user's rights: it writes, deletes and connects exactly as under python, and its
    record is kept in traindx-runs/. It ends after `max_steps` training steps or `seconds`; what was recorded until then
    is diagnosed. Most faults of wiring, data and step size can be seen this way but not in a log. To try a script
    without side effects, use check. Returns `diagnosis`, the path of the `record` (for read_series and read_layers),
    `exit_code`, `ended` and the end of the script's output.
    """
    door = door_of(ctx)
    place, words = _program(door, script, module, folder, arguments)
    limit = door.seconds(seconds, USUAL_SECONDS)
    record = _record(door, place, script, module)
    options = with_options({"no-diagnosis": True, "out": record, "max-steps": max_steps, "deep": deep})
    ended = await door.child(ctx, "run", Job(["run", *options, *words], place, limit, tail=True))
    if not record.exists():
        raise Refusal(
            f"{_place(ended.err, script)} was not run: "
            f"{ended.last_words.removeprefix('traindx run: ') or 'no reason was given'}",
            "Correct the script's name or arguments.",
        )
    found = await door.verb(ctx, "diagnose", "--format=json", str(record))
    return answer(
        found[0]["summary"],
        {
            "diagnosis": found[0],
            "record": door.folders.shown(record),
            "exit_code": ended.code,
            "ended": "time limit" if ended.stopped else "by itself",
            "seconds": round(ended.seconds, 2),
            "stdout_end": _end(ended.out),
            "stderr_end": _end(ended.err),
        },
    )


def _record(door: Door, folder: Path, script: str, module: bool) -> Path:
    name = script.rpartition(".")[2] if module else Path(script).stem
    stamp = f"{time.strftime('%Y%m%d-%H%M%S')}-{secrets.token_hex(2)}"
    return door.folders.place(str(folder / "traindx-runs" / f"{name}-{stamp}.tdx"))


def _end(printed: bytes) -> str:
    return printed.decode("utf-8", "replace")[-SHOWN:]


def _place(said: bytes, script: str) -> str:
    """The script, with the line that Python refused."""
    refused = re.search(rf'File "[^"]*{re.escape(script)}", line (\d+)', said.decode("utf-8", "replace"))
    return f"{script}, line {refused[1]}" if refused else script


@tool(
    "Test fixes by controlled re-runs (isolated)",
    ISOLATED,
    an_object({"diagnosis": diagnosis_schema()}),
)
async def treat(
    ctx: Context[Door, Any],
    script: Script,
    arguments: Arguments = None,
    module: AsModule = False,
    folder: Folder = None,
    seconds: Seconds = None,
) -> CallToolResult:
    """Prove the cause by experiment: test the most likely fixes in short controlled re-runs, and return the patch that
    cured.

    It makes one change at a time, against a control with the same seeds and a placebo, without changing the script's
    file. The runs are isolated: nothing is written to the user's files, the network is off. Returns the diagnosis with
    `treatment`: `verdict` (cured, proven, helped, no-proven-fix, nothing-to-treat, not-treatable), the proven `cause`,
    `trials` and a `patch` for apply_patch. Takes minutes: use it when diagnose or run only *suspects* a cause, instead
    of trying changes.
    """
    door = door_of(ctx)
    place, words = _program(door, script, module, folder, arguments)
    limit = door.seconds(seconds, TREATING_SECONDS)
    timed = ["treat", "--format=json", f"--minutes={FOR_TRIALS * limit / 60:.3f}"]
    found = objects("treat", await door.child(ctx, "treat", Job([*timed, *words], place, limit)))[0]
    treatment = found.get("treatment") or {}
    for trial in treatment.get("trials", []):
        trial.pop("curves", None)  # hundreds of numbers for a chart; the effect sums them up
    return answer(treatment.get("text") or found["summary"], {"diagnosis": found})


@tool(
    "Find a learning rate (isolated)",
    ISOLATED,
    an_object({"schema": {"const": "traindx.lr/1"}, "suggestion": maybe(NUMBER)}),
)
async def find_learning_rate(
    ctx: Context[Door, Any],
    script: Script,
    arguments: Arguments = None,
    module: AsModule = False,
    folder: Folder = None,
    steps: Annotated[int, Field(description="steps of one test", ge=20, le=1000)] = 120,
    repeats: Annotated[int, Field(description="tests with different seeds", ge=1, le=10)] = 3,
    seconds: Seconds = None,
) -> CallToolResult:
    """Find a learning rate by a range test inside the script's own loop, instead of trying learning rates one by one.

    The script runs several times for about a hundred steps, isolated: nothing is written, the network is off. Returns
    `suggestion` with an `interval`, or null with `why_not` if the curve has no valley, and the script's own `own_rate`.
    """
    door = door_of(ctx)
    place, words = _program(door, script, module, folder, arguments)
    words = ["lr", "--format=json", f"--steps={steps}", f"--repeats={repeats}", *words]
    ended = await door.child(ctx, "lr", Job(words, place, door.seconds(seconds, USUAL_SECONDS)))
    found = objects("lr", ended)[0]
    repeated = [{key: value for key, value in one.items() if key not in CURVES} for one in found["repeats"]]
    told = f"No learning rate can be suggested: {found['why_not']}"
    if found["suggestion"] is not None:
        low, high = map(num, found["interval"])
        told = f"Learning rate {num(found['suggestion'])} ({low} to {high} over the repeats)"
    return answer(told, {**found, "repeats": repeated})


def _program(
    door: Door, script: str, module: bool, folder: str | None, arguments: list[str] | None
) -> tuple[Path, list[str]]:
    """The working folder, and `[-m] SCRIPT ARGUMENTS…`. The program must be inside the allowed folders."""
    folders, home = door.folders, door.folders.folder(folder)
    if module:
        place = home.joinpath(*script.split("."))
        programs = [place.with_suffix(".py"), place / "__main__.py"]
        if not script.replace(".", "").isidentifier() or not any(program.is_file() for program in programs):
            raise Refusal(
                f"there is no module {script} in {home}.", "Name a module of the project, or a script by its path."
            )
        folders.inside(str(next(program for program in programs if program.is_file())))
        return home, ["-m", script, *(arguments or [])]
    beside = home / script  # a script is named from its working folder, or from the first allowed folder
    path = folders.file(str(beside) if beside.is_file() else script, "a Python script")
    if path.suffix != ".py":
        raise Refusal(f"{script} is not a Python script.", "For a log or a record, call diagnose.")
    shown = str(path.relative_to(home)) if path.is_relative_to(home) else str(path)
    return home, [str(path) if shown.startswith("-") else shown, *(arguments or [])]
