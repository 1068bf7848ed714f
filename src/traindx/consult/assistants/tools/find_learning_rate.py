"""Find a learning rate by a range test inside the script's own loop, instead of trying learning rates one by one.

The script runs several times for about a hundred steps, isolated: nothing is written, the network is off. Returns
`suggestion` with an `interval`, or null with `why_not` if the curve has no valley, and the script's own `own_rate`.
"""

from __future__ import annotations

from typing import Annotated, Any

from mcp.server.mcpserver import Context
from mcp_types import CallToolResult
from pydantic import Field

from ..children import Job
from ..door import Door, answer, door_of, objects
from ..schemas import NUMBER, an_object, maybe
from ._common import ISOLATED, Arguments, AsModule, Folder, Script, Seconds, script_words

TITLE = "Find a learning rate (isolated)"
ANNOTATIONS = ISOLATED
OUTPUT = an_object({"schema": {"const": "traindx.lr/1"}, "suggestion": maybe(NUMBER)})
USUAL_SECONDS = 300.0
CURVES = ("rates", "losses")  # left out: hundreds of numbers that an assistant does not need


async def call(
    ctx: Context[Door, Any],
    script: Script,
    arguments: Arguments = None,
    module: AsModule = False,
    folder: Folder = None,
    steps: Annotated[int, Field(description="steps of one test", ge=20, le=1000)] = 120,
    repeats: Annotated[int, Field(description="tests with different seeds", ge=1, le=10)] = 3,
    seconds: Seconds = None,
) -> CallToolResult:
    door = door_of(ctx)
    place = door.folders.folder(folder)
    words = ["lr", "--format=json", f"--steps={steps}", f"--repeats={repeats}"]
    words += script_words(door.folders, script, module, place, arguments)
    ended = await door.child(ctx, "lr", Job(words, place, door.seconds(seconds, USUAL_SECONDS)))
    found = objects("lr", ended)[0]
    repeated = [{key: value for key, value in one.items() if key not in CURVES} for one in found["repeats"]]
    return answer({**found, "repeats": repeated})
