"""Finds and kills the processes that a child started: on Linux all of them, on other systems its process group."""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from pathlib import Path

Known = tuple[int, str]  # a process: its id and start time, because ids are reused


def descendants(leader: int) -> set[Known]:
    """Every process below the leader, from the kernel's process tree."""
    found: set[Known] = set()
    waiting = [leader]
    while waiting:
        pid = waiting.pop()
        for child in _children(pid):
            known = (child, _started(child))
            if known not in found:
                found.add(known)
                waiting.append(child)
    return found


def kill_all(leader: int, family: set[Known]) -> None:
    """Kill the leader's group, and every process of the family whose id was not reused."""
    with suppress(OSError, AttributeError):
        os.killpg(leader, signal.SIGKILL)
    for pid, started in family:
        if started and _started(pid) == started:
            with suppress(OSError):
                os.kill(pid, signal.SIGKILL)


def _children(pid: int) -> list[int]:
    found: list[int] = []
    with suppress(OSError):
        for file in Path(f"/proc/{pid}/task").glob("*/children"):
            with suppress(OSError, ValueError):
                found += map(int, file.read_text().split())
    return found


def _started(pid: int) -> str:
    """The kernel's start time of a process; empty if there is none."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19]
    except (OSError, IndexError):
        return ""
