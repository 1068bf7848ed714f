"""Read curves of a run: loss, validation loss, learning rate, gradient norm and whatever else its log or record holds.

Long curves are thinned to `points`, keeping the lowest and highest value of every section, so that no spike is lost.
NaN and infinities are the strings "NaN", "Infinity" and "-Infinity". `available` lists all names.
"""

from __future__ import annotations

from typing import Annotated, Any

from mcp.server.mcpserver import Context
from mcp_types import CallToolResult
from pydantic import Field

from ..door import Door, answer, door_of
from ..schemas import POINT, TEXT, WHOLE, a_list, an_object
from ._common import READS

TITLE = "Read curves of a run"
ANNOTATIONS = READS
OUTPUT = an_object(
    {
        "source": TEXT,
        "steps": WHOLE,
        "available": a_list(TEXT),
        "series": a_list(
            an_object({"name": TEXT, "recorded_points": WHOLE, "steps": a_list(WHOLE), "values": a_list(POINT)})
        ),
    }
)


async def call(
    ctx: Context[Door, Any],
    path: Annotated[str, Field(description="a log or a record")],
    names: Annotated[
        list[str] | None, Field(description="series to read; without it, losses and learning rates")
    ] = None,
    points: Annotated[int, Field(description="the maximum number of points per series", ge=10, le=1000)] = 100,
) -> CallToolResult:
    door = door_of(ctx)
    file = door.folders.inside(path)
    return answer(await door.reading(ctx, "series", path=str(file), names=names or [], points=points))
