"""Explain a cause or a sign that a diagnosis names, or an overview page: what happens, why, how to fix and verify it.

Without a name, returns the list of everything that can be explained. Names are those of a diagnosis: lr-too-high,
double-softmax, grads-kept.
"""

from __future__ import annotations

from typing import Annotated, Any

from mcp.server.mcpserver import Context
from mcp_types import CallToolResult
from pydantic import Field

from ..children import Job
from ..door import READING_SECONDS, Door, answer, door_of
from ..refusals import Refusal
from ..schemas import TEXT, an_object
from ._common import READS

TITLE = "Explain a cause or a sign"
ANNOTATIONS = READS
OUTPUT = an_object({"name": TEXT, "markdown": TEXT})


async def call(
    ctx: Context[Door, Any],
    name: Annotated[str, Field(description="a cause, a sign or a page; empty for the list", max_length=200)] = "",
) -> CallToolResult:
    door = door_of(ctx)
    if name.startswith("-"):
        raise Refusal(f"{name} is not a name.", "Call explain without a name for the list.")
    words = ["explain", "--format=markdown", *([name] if name else [])]
    ended = await door.child(ctx, "explain", Job(words, door.folders.home, READING_SECONDS, door.folders.roots))
    page = ended.out.decode("utf-8", "replace")
    if not page:
        raise Refusal(ended.last_words.removeprefix("traindx explain: "), "")
    return answer({"name": name or "list", "markdown": page})
