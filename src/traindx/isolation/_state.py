"""How this process is isolated: set once, where an isolated process begins."""

from __future__ import annotations

from collections.abc import Sequence

_mode = "off"


def current_mode() -> str:
    return _mode


def set_mode(mode: str) -> None:
    global _mode
    _mode = mode


def fresh_layer(kept: Sequence[str]) -> bool:
    """In a fork of an isolated process: a layer of its own over what the process has written so far.

    False where that cannot be had: the fork must not go on then. `kept` are the folders whose writes are real.
    """
    if _mode == "off":
        return True
    if _mode != "kernel":
        return False
    from ._kernel import fresh_layer as another

    return another(kept)
