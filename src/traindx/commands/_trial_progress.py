"""Shows the progress of trials on stderr: on a terminal one live line per arm, elsewhere plain lines."""

from __future__ import annotations

import sys
import threading
from pathlib import Path
from types import TracebackType

from ._say import say

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
            say(f"traindx treat: {text}", sys.stderr)
            sys.stderr.flush()

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
