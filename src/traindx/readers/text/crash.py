"""The error that a text log ends with: the last line of a Python traceback, or what a launcher prints of one."""

from __future__ import annotations

import re

from ...record import Run

TAIL = 60  # lines at the end in which a crash is looked for
_ERROR = re.compile(
    r"^(?:\[\w+\]:?\s*)?((?:[A-Za-z_]\w*\.)*[A-Za-z_]\w*(?:Error|Exception|Interrupt|Exit))(?::\s*(.*))?$"
)
_PLAIN = re.compile(
    r"(CUDA (?:error|out of memory)|out of memory|NCCL (?:error|WARN)|Segmentation fault|Killed|Bus error).*"
)
_GOES_ON = re.compile(r"(?!wandb:).*\bloss\b.*\d")  # a further row; W&B prints a summary after a crash


def with_crash(runs: list[Run], tail: list[str]) -> list[Run]:
    """The same runs; the last one with the error that the log ends with, if it ends with one."""
    error = crash_in(tail)
    if error is None or not runs:
        return runs
    return [*runs[:-1], runs[-1].with_facts({"error": {**error, "in_training": True}, "exit": "exception"})]


def crash_in(tail: list[str]) -> dict[str, object] | None:
    """The error with its type and message, where the last lines of a log hold one that nothing follows."""
    lines = [line.strip() for line in tail[-TAIL:]]
    starts = [i for i, line in enumerate(lines) if line.startswith("Traceback (most recent call last)")]
    for line in reversed(lines[starts[-1] :] if starts else lines[-3:]):
        named = _ERROR.match(line)
        if named is not None:
            return {"type": named[1].rpartition(".")[2], "message": named[2] or ""}
        plain = _PLAIN.match(line) if not starts else None
        if plain is not None:
            return {"type": "RuntimeError", "message": line[:300]}
        if _GOES_ON.match(line):
            return None  # the error was caught
    return None
