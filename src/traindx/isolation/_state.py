"""How this process is isolated. An isolated process sets it once, at its start."""

from __future__ import annotations

import os
from collections.abc import Sequence

CANNOT_ISOLATE = 78  # exit code

_mode = "off"


def current_mode() -> str:
    return _mode


def set_mode(mode: str) -> None:
    global _mode
    _mode = mode


def fork_with_layer(kept: Sequence[str]) -> int:
    """Fork a fork server (a command with `server`), like `os.fork`.

    The child is isolated: it has layers of its own, in which only writes below the folders `kept` are real. It ends
    with the exit code CANNOT_ISOLATE where that fails.
    """
    if _mode != "kernel":
        return os.fork()
    from ._kernel import fork_with_layer as isolated_fork

    return isolated_fork(kept)
