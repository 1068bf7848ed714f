"""Hides traindx's frames from stacks that the script reads (anomaly detection, `print_stack`, logging)."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable, Iterator
from types import CodeType, FrameType
from typing import Any

from ..sites import is_ours


def hide_our_frames(outermost: CodeType) -> Callable[[], None]:
    """Leave our frames out of `traceback.walk_stack`, and everything outside `outermost`. Returns what undoes that."""
    original = traceback.walk_stack

    def walk_stack(f: FrameType | None) -> Iterator[tuple[FrameType, int]]:
        return _without_ours(original(f if f is not None else sys._getframe(1)), outermost)

    replaced: Any = walk_stack
    traceback.walk_stack = replaced

    def undo() -> None:
        if traceback.walk_stack is replaced:
            traceback.walk_stack = original

    return undo


def _without_ours(walked: Iterator[tuple[FrameType, int]], outermost: CodeType) -> Iterator[tuple[FrameType, int]]:
    for frame, line in walked:
        if frame.f_code is outermost:
            return
        if not is_ours(frame.f_code.co_filename):
            yield frame, line
