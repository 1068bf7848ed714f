"""Run a training script under observation and diagnose it. This run has real effects; it is not isolated.

The script runs unmodified with the user's rights: it writes, deletes and connects exactly as under python, and its
record is kept in traindx-runs/. It ends after `max_steps` training steps or `seconds`; what was recorded until then is
diagnosed. Most faults of wiring, data and step size can be seen this way but not in a log. To try a script without side
effects, use check. Returns `diagnosis`, the path of the `record` (for read_series and read_layers), `exit_code`,
`ended` and the end of the script's output.
"""

from __future__ import annotations

import secrets
import time
from pathlib import Path
from typing import Annotated, Any

from mcp.server.mcpserver import Context
from mcp_types import CallToolResult, ToolAnnotations
from pydantic import Field

from ..children import Job
from ..door import Door, answer, door_of, with_options
from ..refusals import Refusal
from ..schemas import NUMBER, TEXT, WHOLE, an_object, diagnosis_schema, maybe
from ._common import Arguments, AsModule, Folder, Script, Seconds, script_words

TITLE = "Run a script for real, observed, and diagnose it"
ANNOTATIONS = ToolAnnotations(read_only_hint=False, destructive_hint=True, idempotent_hint=False, open_world_hint=True)
REAL = True
OUTPUT = an_object(
    {
        "diagnosis": maybe(diagnosis_schema()),
        "record": maybe(TEXT),
        "exit_code": WHOLE,
        "ended": {"enum": ["by itself", "time limit"]},
        "seconds": NUMBER,
        "stdout_end": TEXT,
        "stderr_end": TEXT,
    }
)
USUAL_SECONDS = 300.0
USUAL_STEPS = 500
SHOWN = 3000  # characters of the script's output


async def call(
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
    door = door_of(ctx)
    place = door.folders.folder(folder)
    words = script_words(door.folders, script, module, place, arguments)
    limit = door.seconds(seconds, USUAL_SECONDS)
    record = _record(door, place, script, module)
    options = with_options({"no-diagnosis": True, "out": record, "max-steps": max_steps, "deep": deep})
    ended = await door.child(ctx, "run", Job(["run", *options, *words], place, limit, tail=True))
    if not record.exists():
        raise Refusal(
            f"{script} was not run: {ended.last_words.removeprefix('traindx run: ') or 'no reason was given'}",
            "Correct the script's name or arguments.",
        )
    found = await door.verb(ctx, "diagnose", "--format=json", str(record))
    return answer(
        {
            "diagnosis": found[0],
            "record": door.folders.shown(record),
            "exit_code": ended.code,
            "ended": "time limit" if ended.stopped else "by itself",
            "seconds": round(ended.seconds, 2),
            "stdout_end": _end(ended.out),
            "stderr_end": _end(ended.err),
        }
    )


def _record(door: Door, folder: Path, script: str, module: bool) -> Path:
    name = script.rpartition(".")[2] if module else Path(script).stem
    stamp = f"{time.strftime('%Y%m%d-%H%M%S')}-{secrets.token_hex(2)}"
    return door.folders.place(str(folder / "traindx-runs" / f"{name}-{stamp}.tdx"))


def _end(printed: bytes) -> str:
    return printed.decode("utf-8", "replace")[-SHOWN:]
