"""Records which signal ended the process, in a file beside the record, without a handler that the script could notice.

Python's fault handler writes from within the signal, even if the interpreter hangs, and then lets the signal do what it
would do anyway. `signal.getsignal` still returns the default, and a handler that the script sets replaces ours.
"""

from __future__ import annotations

import faulthandler
import os
import signal
from contextlib import suppress
from pathlib import Path

from ...record.ending import COMPANION


class LastWords:
    """Listens from now on until `forget()`."""

    def __init__(self, record: Path) -> None:
        self._path = record.with_name(record.name + COMPANION)
        self._file: int | None = None
        with suppress(OSError, ValueError, RuntimeError):  # without them a killed run is known by its heartbeat
            self._path.unlink(missing_ok=True)
            self._file = os.open(self._path, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_APPEND, 0o600)
            os.register_at_fork(after_in_child=self._hush)
            for name in ("SIGTERM", "SIGHUP"):
                number = getattr(signal, name, None)
                if number is not None and signal.getsignal(number) is signal.SIG_DFL:
                    faulthandler.register(number, file=self._file, all_threads=name == "SIGHUP", chain=True)
            if not faulthandler.is_enabled():
                faulthandler.enable(file=self._file, all_threads=False)

    def _hush(self) -> None:
        """In a forked child, such as a loader's worker: its end is not the run's."""
        if self._file is not None:
            with suppress(OSError):
                nothing = os.open(os.devnull, os.O_WRONLY)
                os.dup2(nothing, self._file, inheritable=False)
                os.close(nothing)

    def forget(self) -> None:
        """The run has said itself how it ended. The fault handler keeps its file, which nobody sees any more."""
        with suppress(OSError):
            self._path.unlink(missing_ok=True)
