"""What every tool needs: the allowed folders, the limits, and children that do the work."""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anyio
from mcp.server.mcpserver import Context
from mcp_types import CallToolResult, TextContent

from .children import Ended, Job, run_child
from .folders import Folders
from .plain import plain, plain_text
from .refusals import Refusal

READING_SECONDS = 120.0
MOST_ANSWER = 400_000  # characters of one answer; an assistant reads every one of them
AT_ONCE = 2  # children; further calls wait for their turn


@dataclass
class Door:
    """One server. `most_seconds` bounds what a call may ask for; `read_only` withholds what runs or writes for real."""

    folders: Folders
    most_seconds: float = 600.0
    read_only: bool = False
    places: anyio.Semaphore = field(default_factory=lambda: anyio.Semaphore(AT_ONCE))

    async def read(self, ctx: Context[Door, Any], verb: str, words: Sequence[str]) -> list[Any]:
        """The JSON objects that a verb prints, one a line or one in all. The child reads allowed folders only."""
        ended = await self.child(ctx, verb, words, self.folders.home, READING_SECONDS, reads_only=True)
        return self.objects(verb, ended)

    async def child(
        self,
        ctx: Context[Door, Any],
        verb: str,
        words: Sequence[str],
        folder: Path,
        seconds: float,
        *,
        reads_only: bool,
    ) -> Ended:
        """Run a verb in a child, with notes of progress."""

        async def note(gone: float, allowed: float) -> None:
            await ctx.report_progress(
                min(gone, allowed), allowed, f"traindx {verb}: {gone:.0f} s of at most {allowed:.0f} s"
            )

        job = Job([verb, *words], folder, seconds, reads_only, self.folders.roots)
        async with self.places:
            return await run_child(job, note)

    def seconds(self, wanted: float) -> float:
        if not 0 < wanted <= self.most_seconds:
            raise Refusal(
                f"seconds must lie between 0 and {self.most_seconds:g} here.",
                "Ask for less, or bound the steps instead; only the user can allow more: traindx mcp --max-seconds N.",
            )
        return wanted

    def objects(self, verb: str, ended: Ended) -> list[Any]:
        """What the child printed as JSON; a refusal with its own words where it printed none."""
        if ended.stopped:
            raise Refusal(
                f"traindx {verb} did not finish within {ended.seconds:.0f} seconds and was ended.",
                "Name one file instead of a folder, or a shorter log.",
            )
        if ended.overflowed:
            raise Refusal("The answer is too long to return.", "Name one run instead of a folder.")
        text = ended.out.decode("utf-8", "replace").strip()
        if not text:
            said = (
                plain_text(ended.last_words, 1000) or f"traindx {verb} ended with code {ended.code} and said nothing."
            )
            raise Refusal(said, "")
        try:
            return [json.loads(text)]
        except ValueError:
            return [json.loads(line) for line in text.splitlines()]


def answer(value: dict[str, Any]) -> CallToolResult:
    """An object as structured content, and the same as text for clients that show only text."""
    shown = plain(value)
    text = json.dumps(shown, ensure_ascii=False, allow_nan=False)
    if len(text) > MOST_ANSWER:
        raise Refusal(
            f"The answer has {len(text)} characters, more than is useful.", "Ask for one run or fewer points."
        )
    return CallToolResult(content=[TextContent(type="text", text=text)], structured_content=shown)


def door_of(ctx: Context[Door, Any]) -> Door:
    found: Door = ctx.request_context.lifespan_context
    return found


def command(*words: object) -> str:
    """A command line as a person would type it."""
    return shlex.join(["traindx", *map(str, words)])
