"""Finds and kills the processes that a process started: on Linux all of them, on other systems its process group."""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from pathlib import Path

Known = tuple[int, str]  # a process: its id and start time, because ids are reused


def descendants(leader: int) -> list[int]:
    """Every process below the leader, from the kernel's process tree."""
    found, waiting = [], [leader]
    while waiting:
        pid = waiting.pop()
        with suppress(OSError):
            for file in Path(f"/proc/{pid}/task").glob("*/children"):
                with suppress(OSError):  # this task has ended
                    children = [int(word) for word in file.read_text().split()]
                    found += children
                    waiting += children
    return found


def family(leader: int) -> set[Known]:
    """The descendants, each with the time of its start."""
    return {(pid, _started(pid)) for pid in descendants(leader)}


def kill_all(leader: int, known: set[Known]) -> None:
    """Kill the leader's group, and every known process whose id was not reused."""
    with suppress(OSError, AttributeError):
        os.killpg(leader, signal.SIGKILL)
    for pid, started in known:
        if started and _started(pid) == started:
            with suppress(OSError):
                os.kill(pid, signal.SIGKILL)


def _started(pid: int) -> str:
    """The kernel's start time of a process; empty if there is none."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19]
    except (OSError, IndexError):
        return ""
