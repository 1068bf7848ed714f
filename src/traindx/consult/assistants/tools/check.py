"""Check a training script before hours are spent on it: data, first loss, gradient flow, wiring, overfitting one batch.

Runs the script several times for a few seconds, isolated: what it writes and deletes stays in a temporary overlay, the
network is off, nothing is left behind. Returns the diagnosis of its first steps with `checks`: each has a `status`
(passed, failed, doubtful, unasked) and a `text`. Use it when there is no log yet, or after a change.
"""

from __future__ import annotations

from typing import Annotated, Any

from mcp.server.mcpserver import Context
from mcp_types import CallToolResult
from pydantic import Field

from ..children import Job
from ..door import Door, answer, door_of, objects
from ..schemas import diagnosis_schema
from ._common import ISOLATED, Arguments, AsModule, Folder, Script, Seconds, script_words

TITLE = "Check a script before training (isolated)"
ANNOTATIONS = ISOLATED
OUTPUT = diagnosis_schema()
USUAL_SECONDS = 300.0


async def call(
    ctx: Context[Door, Any],
    script: Script,
    arguments: Arguments = None,
    module: AsModule = False,
    folder: Folder = None,
    steps: Annotated[int, Field(description="steps allowed to overfit one batch", ge=1, le=5000)] = 200,
    seconds: Seconds = None,
) -> CallToolResult:
    door = door_of(ctx)
    place = door.folders.folder(folder)
    words = script_words(door.folders, script, module, place, arguments)
    job = Job(["check", "--format=json", f"--steps={steps}", *words], place, door.seconds(seconds, USUAL_SECONDS))
    return answer(objects("check", await door.child(ctx, "check", job))[0])
