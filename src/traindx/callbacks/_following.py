"""What all callbacks do: begin a record where training begins, end it where training ends, and say what was found."""

from __future__ import annotations

import atexit
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from ..observe.ranks import own_rank
from ..observe.recording import observing
from ..observe.secrets import masked
from ..paths import unused
from ..record.errors import RecordError

FOLDER = Path("traindx-runs")
Report = Callable[[str], Any]


def to_stderr(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


class Following:
    """At most one record at a time. Inert on other ranks than 0, and under `traindx run`, which has its own record.

    `report` gets the diagnosis as text: `print`, a logger's `info`, or None.
    """

    def __init__(self, name: str, out: str | Path | None, report: Report | None) -> None:
        self._name, self._out, self._report = name, out, report
        self._run: Any = None

    @property
    def recording(self) -> Any:
        """The `Watch` or `Recorder` at work; None where there is none."""
        return self._run

    def begin(self, start: Callable[[Path], Any], facts: Mapping[str, Any] | None = None) -> None:
        """Begin a record with `traindx.watch` or `traindx.start`. The training never sees an error of this."""
        if self._run is not None or own_rank() != 0 or observing():
            return
        try:
            self._run = start(self._path())
        except (RecordError, RuntimeError, OSError) as error:
            to_stderr(f"traindx: {error}; the training is not recorded")
            return
        for key, value in {"script": _script(), **(facts or {})}.items():
            if value:
                self._run.note(key, value)
        atexit.register(self._at_exit)

    def _path(self) -> Path:
        if self._out is not None:
            return Path(self._out)
        FOLDER.mkdir(exist_ok=True)
        return unused(FOLDER, f"{self._name}-{time.strftime('%Y%m%d-%H%M%S')}")

    def end(self, error: BaseException | None = None) -> None:
        run, self._run = self._run, None
        if run is None:
            return
        atexit.unregister(self._at_exit)
        run.__exit__(type(error) if error is not None else None, error, None)
        if self._report is not None:
            with suppress(Exception):  # the training is over and must not fail now
                self._report(f"traindx: record kept in {run.path}\n\n{run.diagnose()}")

    def _at_exit(self) -> None:
        """Training ended without a word to its callbacks, in an error."""
        self._report = None
        self.end(getattr(sys, "last_value", None))


def _script() -> dict[str, Any] | None:
    """The script, as `traindx run` notes it: fixes are written against its source."""
    main = getattr(sys.modules.get("__main__"), "__file__", None)
    if not isinstance(main, str) or not main.endswith(".py"):
        return None
    return {"path": main, "argv": masked(sys.argv[1:]), "module": False}
