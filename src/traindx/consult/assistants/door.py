"""What every tool needs: the allowed folders, the limits, and child processes that do the work."""

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
MOST_ANSWER = 400_000  # characters of one answer, because an assistant must read all of them
AT_ONCE = 2  # children; further calls wait


@dataclass
class Door:
    """The context of one server. `most_seconds` limits the time of a call; `read_only` removes tools with real
    effects."""

    folders: Folders
    most_seconds: float = 600.0
    read_only: bool = False
    places: anyio.Semaphore = field(default_factory=lambda: anyio.Semaphore(AT_ONCE))

    async def verb(self, ctx: Context[Door, Any], *words: str) -> list[Any]:
        """The JSON objects that a command prints about files of the allowed folders."""
        job = Job(words, self.folders.home, READING_SECONDS, self.folders.roots)
        return objects(words[0], await self.child(ctx, words[0], job))

    async def reading(self, ctx: Context[Door, Any], name: str, **arguments: Any) -> dict[str, Any]:
        """The result of a module of `work/readings`."""
        given = json.dumps(arguments).encode()
        job = Job([f":{name}"], self.folders.home, READING_SECONDS, self.folders.roots, given=given)
        found: dict[str, Any] = objects(name, await self.child(ctx, name, job))[0]
        return found

    async def child(self, ctx: Context[Door, Any], name: str, job: Job) -> Ended:
        """Run a child, at most `AT_ONCE` at a time, and report its progress."""

        async def note(gone: float, allowed: float, said: str) -> None:
            # The output of the user's script is not part of our progress.
            last = "" if job.tail else plain_text(said.removeprefix(f"traindx {name}: "), 200)
            text = f"traindx {name}: {gone:.0f} s of at most {allowed:.0f} s{': ' if last else ''}{last}"
            await ctx.report_progress(min(gone, allowed), allowed, text)

        async with self.places:
            return await run_child(job, note)

    def seconds(self, wanted: float | None, usual: float) -> float:
        """The time limit of a call. Refuses more than the user allows."""
        if wanted is None:
            return min(usual, self.most_seconds)
        if not 0 < wanted <= self.most_seconds:
            raise Refusal(
                f"seconds must be between 0 and {self.most_seconds:g} here.",
                "Ask for less, or limit the steps instead; only the user can allow more: traindx mcp --max-seconds S.",
            )
        return wanted


def objects(name: str, ended: Ended) -> list[Any]:
    """The JSON that a child printed, one object or one per line. Refuses with the child's message if there is none."""
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
    """The result as structured content, and as text for clients that show only text."""
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
    """`--name=value` for each option that is set, `--name` for True."""
    words: list[str] = []
    for name, value in options.items():
        if value is not None and value is not False:
            words += [f"--{name}"] if value is True else [f"--{name}={value}"]
    return words
