"""Progress on stderr: a bar for work on many logs, and the arms of trials."""

from __future__ import annotations

import sys
import threading
import time
from pathlib import Path
from types import TracebackType

from ._say import complain, say

WIDTH = 30


class Bar:
    """A progress bar on stderr. Call it with (done, total); `close` removes it."""

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


EVERY = 0.5  # seconds


class TrialProgress:
    """Receives the progress of arms from several threads. Inside `with`, it draws live lines, which it removes at the
    end."""

    def __init__(self) -> None:
        self._live = sys.stderr.isatty()
        self._arms: dict[tuple[str, int], tuple[int, Path]] = {}
        self._lock = threading.Lock()
        self._drawn = 0
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._draw_on, daemon=True)

    def __enter__(self) -> TrialProgress:
        if self._live:
            self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, value: object, trace: TracebackType | None) -> None:
        self._over.set()
        if self._live:
            self._thread.join()
            with self._lock:
                self._wipe()

    def say(self, text: str) -> None:
        with self._lock:
            self._wipe()
            complain("treat", text)

    def began(self, arm: str, seed: int, steps: int, progress: Path) -> None:
        with self._lock:
            self._arms[arm, seed] = (steps, progress)

    def ended(self, arm: str, seed: int, how: str) -> None:
        with self._lock:
            self._arms.pop((arm, seed), None)
        self.say(f"{arm}, seed {seed}: {how}")

    def _draw_on(self) -> None:
        while not self._over.wait(EVERY):
            with self._lock:
                self._wipe()
                for (arm, seed), (steps, progress) in self._arms.items():
                    say(f"  {arm}, seed {seed}: {_so_far(progress, steps)}", sys.stderr)
                    self._drawn += 1
                sys.stderr.flush()

    def _wipe(self) -> None:
        if self._drawn:
            sys.stderr.write(f"\x1b[{self._drawn}A\x1b[J")
            self._drawn = 0


def _so_far(progress: Path, steps: int) -> str:
    try:
        done, loss = progress.read_text().split()
        return f"step {done} of {steps}, loss {float(loss):.4g}"
    except (OSError, ValueError):
        return "starting"
