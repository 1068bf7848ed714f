"""List what can be diagnosed: records made by traindx, newest first, and files that look like training logs."""

from __future__ import annotations

from typing import Any

from mcp.server.mcpserver import Context
from mcp_types import CallToolResult

from ..door import Door, answer, door_of
from ..schemas import FLAG, TEXT, WHOLE, a_list, an_object
from ._common import READS, Folder

TITLE = "List records and logs"
ANNOTATIONS = READS
OUTPUT = an_object(
    {
        "folder": TEXT,
        "records": a_list(an_object({"path": TEXT})),
        "logs": a_list(an_object({"path": TEXT})),
        "records_left_out": WHOLE,
        "logs_left_out": WHOLE,
        "searched_all": FLAG,
    }
)


async def call(ctx: Context[Door, Any], folder: Folder = None) -> CallToolResult:
    door = door_of(ctx)
    return answer(await door.reading(ctx, "runs", folder=str(door.folders.folder(folder))))
