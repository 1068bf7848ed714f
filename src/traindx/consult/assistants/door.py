"""What every tool needs: the allowed folders, the limits, and child processes that do the work.

Children have limits on time and output. A cancelled call ends its child and everything that it started.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anyio
from anyio.abc import ByteReceiveStream, Process
from mcp.server.mcpserver import Context
from mcp_types import CallToolResult, TextContent

from ...processes import family, kill_all
from ...starting import python_command
from .folders import Folders, Refusal, plain, plain_text

MOST_OUTPUT = 16 << 20  # bytes of one answer
TAIL = 16 << 10  # bytes kept of a script's output
TICK = 1.0  # seconds between two progress reports
GRACE = 5.0  # seconds from the interrupt to the kill

_running: set[int] = set()

Note = Callable[[float, float, str], Awaitable[None]]  # seconds gone, seconds allowed, the child's last line


@dataclass(frozen=True)
class Job:
    """What a child does. With `confined`, it can open files only in these folders and write none. With `tail`, only the
    end of its output is kept."""

    words: Sequence[str]
    folder: Path
    seconds: float
    confined: Sequence[Path] | None = None
    tail: bool = False
    given: bytes | None = None  # for its stdin

    @property
    def command(self) -> list[str]:
        folders = None if self.confined is None else os.pathsep.join(map(str, self.confined))
        confined = [] if folders is None else [f"--confined={folders}"]
        return python_command("traindx.consult.assistants.work", [*confined, *self.words])


@dataclass(frozen=True)
class Ended:
    """How a child ended. `stopped`: the time limit ended it. `overflowed`: its output was too long for an answer."""

    code: int
    out: bytes
    err: bytes
    seconds: float
    stopped: bool
    overflowed: bool

    @property
    def last_words(self) -> str:
        """The last line on stderr."""
        return last_line(self.err)


def last_line(said: bytes) -> str:
    lines = [line.strip() for line in said.decode("utf-8", "replace").splitlines() if line.strip()]
    return lines[-1] if lines else ""


class Kept:
    """The output of a child: all of it up to a limit, or only its end."""

    def __init__(self, most: int, tail: bool) -> None:
        self.data = bytearray()
        self.overflowed = False
        self._most, self._tail = most, tail

    async def drain(self, stream: ByteReceiveStream) -> None:
        async for chunk in stream:
            if self._tail or len(self.data) + len(chunk) <= self._most:
                self.data += chunk
                if self._tail and len(self.data) > 2 * self._most:
                    del self.data[: -self._most]
            else:
                self.overflowed = True

    @property
    def content(self) -> bytes:
        return bytes(self.data[-self._most :])


async def run_child(job: Job, note: Note) -> Ended:
    """Run the job until it ends or its time is up. Cancelling this call ends the child and all that it started."""
    began = time.monotonic()
    out, err = Kept(TAIL if job.tail else MOST_OUTPUT, job.tail), Kept(TAIL, True)
    async with await anyio.open_process(
        job.command,
        stdin=subprocess.DEVNULL if job.given is None else subprocess.PIPE,
        cwd=job.folder,
        env={**os.environ, "PYTHONIOENCODING": "utf-8"},
        start_new_session=True,
    ) as process:
        _running.add(process.pid)
        try:
            with anyio.move_on_after(job.seconds) as limit:
                async with anyio.create_task_group() as tasks:
                    tasks.start_soon(_tick, note, began, job.seconds, err)
                    assert process.stdout and process.stderr
                    async with anyio.create_task_group() as reading:
                        reading.start_soon(out.drain, process.stdout)
                        reading.start_soon(err.drain, process.stderr)
                        await _give(process, job.given)
                        await process.wait()
                        reading.cancel_scope.deadline = anyio.current_time() + 2  # a daemon may keep the pipes open
                    tasks.cancel_scope.cancel()
        finally:
            with anyio.CancelScope(shield=True):
                await _end(process)
            _running.discard(process.pid)
    return Ended(
        process.returncode if process.returncode is not None else -1,
        out.content,
        err.content,
        time.monotonic() - began,
        limit.cancelled_caught,
        out.overflowed,
    )


def kill_running() -> None:
    """Kill all children, when the server itself is about to end."""
    for leader in tuple(_running):
        kill_all(leader, family(leader))


async def _give(process: Process, given: bytes | None) -> None:
    if given is not None and process.stdin is not None:
        with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
            await process.stdin.send(given)
        await process.stdin.aclose()


async def _tick(note: Note, began: float, allowed: float, err: Kept) -> None:
    while True:
        await note(time.monotonic() - began, allowed, last_line(err.content))
        await anyio.sleep(TICK)


async def _end(process: Process) -> None:
    """Interrupt first, so that a script's record is closed properly; then kill what is left, in other sessions too."""
    known = family(process.pid)
    if process.returncode is None:
        with suppress(OSError):
            process.send_signal(signal.SIGINT)
        with anyio.move_on_after(GRACE):
            await process.wait()
    if process.returncode is None:
        known |= family(process.pid)
        with suppress(OSError):
            process.kill()
        await process.wait()
    kill_all(process.pid, known)


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
        """The result of a function of `work/readings`."""
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
    """The JSON objects that a child printed, one or a list. Refuses with the child's message if there is none."""
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
    found = json.loads(text)
    return found if isinstance(found, list) else [found]


def answer(headline: str, value: dict[str, Any]) -> CallToolResult:
    """The result with its headline first, as structured content, and as text for clients that show only text."""
    shown = plain({"headline": headline, **value})
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
