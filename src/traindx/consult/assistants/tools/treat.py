"""Prove the cause by experiment: test the most likely fixes in short controlled re-runs, and return the patch that
cured.

It makes one change at a time, against a control with the same seeds and a placebo, without changing the script's file.
The runs are isolated: nothing is written to the user's files, the network is off. Returns the diagnosis with
`treatment`: `verdict` (cured, helped, no-proven-fix, nothing-to-treat, not-treatable), the proven `cause`, `trials`
and a `patch` for apply_patch. Takes minutes: use it when diagnose or run only *suspects* a cause, instead of trying
changes.
"""

from __future__ import annotations

from typing import Any

from mcp.server.mcpserver import Context
from mcp_types import CallToolResult

from ..children import Job
from ..door import Door, answer, door_of, objects
from ..schemas import diagnosis_schema
from ._common import ISOLATED, Arguments, AsModule, Folder, Script, Seconds, script_words

TITLE = "Test fixes by controlled re-runs (isolated)"
ANNOTATIONS = ISOLATED
OUTPUT = diagnosis_schema()
USUAL_SECONDS = 600.0
FOR_TRIALS = 0.8  # share of the time; the rest is for starting, and for the run that confirms the patch


async def call(
    ctx: Context[Door, Any],
    script: Script,
    arguments: Arguments = None,
    module: AsModule = False,
    folder: Folder = None,
    seconds: Seconds = None,
) -> CallToolResult:
    door = door_of(ctx)
    place = door.folders.folder(folder)
    limit = door.seconds(seconds, USUAL_SECONDS)
    words = ["treat", "--format=json", f"--minutes={FOR_TRIALS * limit / 60:.3f}"]
    words += script_words(door.folders, script, module, place, arguments)
    found = objects("treat", await door.child(ctx, "treat", Job(words, place, limit)))[0]
    for trial in (found.get("treatment") or {}).get("trials", []):
        trial.pop("curves", None)  # hundreds of numbers for a chart; the effect sums them up
    return answer(found)
