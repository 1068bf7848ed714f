"""What every tool needs: the allowed folders, the limits, and children that do the work."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
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

    async def verb(self, ctx: Context[Door, Any], *words: str) -> list[Any]:
        """The JSON objects that a verb prints about files of the allowed folders."""
        job = Job(words, self.folders.home, READING_SECONDS, self.folders.roots)
        return objects(words[0], await self.child(ctx, words[0], job))

    async def reading(self, ctx: Context[Door, Any], name: str, **arguments: Any) -> dict[str, Any]:
        """What a reading of `work/readings` returns."""
        given = json.dumps(arguments).encode()
        job = Job([f":{name}"], self.folders.home, READING_SECONDS, self.folders.roots, given=given)
        found: dict[str, Any] = objects(name, await self.child(ctx, name, job))[0]
        return found

    async def child(self, ctx: Context[Door, Any], name: str, job: Job) -> Ended:
        """Run a child when there is a place for it, with notes of progress."""

        async def note(gone: float, allowed: float, said: str) -> None:
            # What the user's own script prints is no progress of ours.
            last = "" if job.tail else plain_text(said.removeprefix(f"traindx {name}: "), 200)
            text = f"traindx {name}: {gone:.0f} s of at most {allowed:.0f} s{': ' if last else ''}{last}"
            await ctx.report_progress(min(gone, allowed), allowed, text)

        async with self.places:
            return await run_child(job, note)

    def seconds(self, wanted: float | None, usual: float) -> float:
        """How long a call may take; refuses more than the user allows."""
        if wanted is None:
            return min(usual, self.most_seconds)
        if not 0 < wanted <= self.most_seconds:
            raise Refusal(
                f"seconds must lie between 0 and {self.most_seconds:g} here.",
                "Ask for less, or bound the steps instead; only the user can allow more: traindx mcp --max-seconds S.",
            )
        return wanted


def objects(name: str, ended: Ended) -> list[Any]:
    """What a child printed as JSON, one object in all or one a line; a refusal with its own words where it did not."""
    if ended.stopped:
        raise Refusal(
            f"traindx {name} did not finish within {ended.seconds:.0f} seconds and was ended.",
            "Ask for more seconds, for fewer steps, or for one file instead of a folder.",
        )
    if ended.overflowed:
        raise Refusal("The answer is too long to return.", "Name one run instead of a folder.")
    text = ended.out.decode("utf-8", "replace").strip()
    if not text:
        said = plain_text(ended.last_words, 2000).removeprefix(f"traindx {name}: ")
        raise Refusal(said or f"traindx {name} ended with code {ended.code} and said nothing.", "")
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


def with_options(options: dict[str, Any]) -> Sequence[str]:
    """`--name value` for each option that is given, `--name` for True."""
    words: list[str] = []
    for name, value in options.items():
        if value is not None and value is not False:
            words += [f"--{name}"] if value is True else [f"--{name}={value}"]
    return words
