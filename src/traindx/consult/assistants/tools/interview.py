"""Interview the user when there is neither a log nor a script: returns the question whose answer would tell most.

Call it with all answers so far. Ask the user the returned `question` (its `ask`, its options, and `why` if they
wonder), one at a time, and call again with the answer under the question's `id`. Questions that the user cannot answer
go into `skipped`. When `question` is null, `conclusion` holds the diagnosis, with how little was measured, and
`measure`: the commands that would settle the rest. If there is a log or a record, pass it as `source`: then only what
it does not show is asked.
"""

from __future__ import annotations

from typing import Annotated, Any

from mcp.server.mcpserver import Context
from mcp_types import CallToolResult
from pydantic import Field

from ..door import Door, answer, door_of
from ..schemas import an_object, maybe
from ._common import READS

TITLE = "Interview the user about a training"
ANNOTATIONS = READS
OUTPUT = an_object({"question": maybe({"type": "object"}), "conclusion": maybe({"type": "object"})})


async def call(
    ctx: Context[Door, Any],
    answers: Annotated[
        dict[str, str | list[str]] | None,
        Field(
            description='answers so far by question id, in their order: {"symptoms": ["nan"], "losses": "2.3 2.1 nan"}'
        ),
    ] = None,
    skipped: Annotated[list[str] | None, Field(description="ids of questions that stay open")] = None,
    source: Annotated[str | None, Field(description="a log or a record to start from, if there is one")] = None,
    finish: Annotated[bool, Field(description="conclude now, even if questions are open")] = False,
) -> CallToolResult:
    door = door_of(ctx)
    place = None if source is None else str(door.folders.inside(source))
    found = await door.reading(
        ctx, "interview", source=place, answers=answers or {}, skipped=skipped or [], finish=finish
    )
    return answer(found)
