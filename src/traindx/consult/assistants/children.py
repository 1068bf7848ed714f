"""Child processes with limits on time and output. A cancelled call ends its child and everything that it started."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import anyio
from anyio.abc import ByteReceiveStream, Process

from ...starting import python_command
from .descendants import descendants, kill_all

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
        kill_all(leader, descendants(leader))


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
    family = descendants(process.pid)
    if process.returncode is None:
        with suppress(OSError):
            process.send_signal(signal.SIGINT)
        with anyio.move_on_after(GRACE):
            await process.wait()
    if process.returncode is None:
        family |= descendants(process.pid)
        with suppress(OSError):
            process.kill()
        await process.wait()
    kill_all(process.pid, family)
