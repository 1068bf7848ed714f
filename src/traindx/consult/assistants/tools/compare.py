"""Compare runs: what differs between them, which is best, and which setting explains it.

Takes records, logs and folders of them. Repeats (equal settings, different seeds) show the noise: a smaller difference
means nothing.
"""

from __future__ import annotations

from typing import Annotated, Any

from mcp.server.mcpserver import Context
from mcp_types import CallToolResult
from pydantic import Field

from ..door import Door, answer, door_of, with_options
from ..schemas import TEXT, a_list, an_object
from ._common import READS

TITLE = "Compare runs"
ANNOTATIONS = READS
MOST_RUNS = 60
OUTPUT = an_object({"schema": {"const": "traindx.comparison/1"}, "statement": a_list(TEXT), "runs": a_list({})})


async def call(
    ctx: Context[Door, Any],
    paths: Annotated[list[str], Field(description="records, logs or folders", min_length=1, max_length=200)],
    metric: Annotated[str | None, Field(description="train, validation, accuracy or a column of the logs")] = None,
    higher_is_better: Annotated[bool, Field(description="the metric is better when it is higher")] = False,
) -> CallToolResult:
    door = door_of(ctx)
    places = [str(door.folders.inside(path)) for path in paths]
    options = with_options({"metric": metric, "higher-is-better": higher_is_better})
    found = (await door.verb(ctx, "compare", "--format=json", *options, *places))[0]
    return answer({**found, "runs": found["runs"][:MOST_RUNS]})
