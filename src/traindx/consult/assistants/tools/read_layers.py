"""Read per-layer measurements of a record: gradient norms, update-to-weight ratios, dead units, activations.

Only records made by observing a script (the tool run) have them. Without `quantity`, lists the quantities.
"""

from __future__ import annotations

from typing import Annotated, Any

from mcp.server.mcpserver import Context
from mcp_types import CallToolResult
from pydantic import Field

from ..door import Door, answer, door_of
from ..schemas import POINT, TEXT, WHOLE, a_list, an_object
from ._common import READS

TITLE = "Read per-layer measurements"
ANNOTATIONS = READS
OUTPUT = an_object(
    {"source": TEXT, "available": a_list(an_object({"quantity": TEXT, "layers": WHOLE, "looks": WHOLE}))},
    {
        "quantity": TEXT,
        "steps": a_list(WHOLE),
        "layers": a_list(an_object({"name": TEXT, "values": a_list(POINT)})),
        "layers_left_out": WHOLE,
    },
)


async def call(
    ctx: Context[Door, Any],
    path: Annotated[str, Field(description="a record (.tdx)")],
    quantity: Annotated[str, Field(description="one of the quantities; empty to list them")] = "",
    layers: Annotated[list[str] | None, Field(description="layers to read; without it, all")] = None,
    rows: Annotated[int, Field(description="the maximum number of steps to show", ge=1, le=100)] = 10,
) -> CallToolResult:
    door = door_of(ctx)
    file = door.folders.inside(path)
    found = await door.reading(ctx, "layers", path=str(file), quantity=quantity, layers=layers or [], rows=rows)
    return answer(found)
