"""A bar on standard error for work that takes long, only where somebody looks at it."""

from __future__ import annotations

import sys
import time

WIDTH = 30


class Bar:
    """Call it with (done, total); it draws at most ten times a second and leaves nothing behind."""

    def __init__(self, label: str) -> None:
        self._label = label
        self._started = time.monotonic()
        self._drawn = 0.0
        self._visible = sys.stderr.isatty()

    def __call__(self, done: int, total: int) -> None:
        now = time.monotonic()
        if not self._visible or total < 2 or (now - self._drawn < 0.1 and done < total):
            return
        self._drawn = now
        full = WIDTH * done // total
        left = (now - self._started) / done * (total - done) if done else 0.0
        sys.stderr.write(f"\r{self._label} [{'#' * full}{'.' * (WIDTH - full)}] {done}/{total}, {left:.0f} s left ")
        sys.stderr.flush()

    def close(self) -> None:
        if self._visible and self._drawn:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
