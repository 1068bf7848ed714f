"""`traindx.watch`: the same record, from inside a loop or a notebook."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from ..record.reading import load
from ..wording import clean
from .hook_points.hooks import text_of
from .recording import Recording
from .schedule import USUAL_BUDGET
from .secrets import masked_text

if TYPE_CHECKING:
    from ..diagnosis import Diagnosis
    from ..record.run import Run

_ACTIVE: list[Watch] = []


class Watch:
    """A run in progress. Leave the `with` block, or call `stop()`, and ask it as you would a `Run`.

    >>> with traindx.watch(model, optimizer) as run:      # doctest: +SKIP
    ...     train()
    >>> print(run.diagnose())                             # doctest: +SKIP
    """

    def __init__(self, path: Path, budget: float) -> None:
        self.path = path
        self._recording: Recording | None = Recording(path, budget)
        self._run: Run | None = None
        _ACTIVE.append(self)

    def _begin(self, optimizers: list[Any]) -> Watch:
        """Models need not be named: each is found when it is called."""
        recording = self._recording
        assert recording is not None
        recording.attach()
        for optimizer in optimizers:
            recording.hooks.announce("optimizer_made", optimizer, None)
        return self

    def __enter__(self) -> Watch:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        status = "ok" if kind is None else "exception"
        facts = (
            None
            if error is None
            else {
                "type": type(error).__name__,
                "message": masked_text(text_of(error)),
                "site": None,
            }
        )
        self._end(status, facts)

    def note(self, key: str, value: Any) -> None:
        """Add a fact that whoever watches knows."""
        if self._recording is not None:
            self._recording.writer.fact(key, value)

    def stop(self) -> Run:
        """End the observation; the record as a `Run`."""
        self._end("ok", None)
        return self.run

    def _end(self, status: str, error: dict[str, Any] | None) -> None:
        recording, self._recording = self._recording, None
        if recording is not None:
            recording.close(status, error)
            _ACTIVE.remove(self)

    @property
    def run(self) -> Run:
        """What has been recorded so far, or all of it once stopped."""
        if self._recording is not None:
            self._recording.writer.flush()
            return load(self.path)
        if self._run is None:
            self._run = load(self.path)
        return self._run

    def __repr__(self) -> str:
        run = self.run
        source = clean(run.source).replace("\n", " ")
        state = "watching" if self._recording is not None else "stopped"
        return f"<Watch {source} ({state}, {run.steps:,} step{'' if run.steps == 1 else 's'})>"

    def __str__(self) -> str:
        return str(self.run).replace(repr(self.run), repr(self), 1)

    def _repr_html_(self) -> str:
        """In a notebook: verdict, causes and curve."""
        return self.run._repr_html_()

    def diagnose(self) -> Diagnosis:
        return self.run.diagnose()

    def __getattr__(self, name: str) -> Any:
        # Facts, series, layers, events …: a Watch is a Run that may still be growing.
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self.run, name)


def watch(*watched: Any, out: str | Path | None = None, budget: float = USUAL_BUDGET) -> Watch:
    """Observe what happens from now on: `with traindx.watch(model, optimizer) as run:`, or `.stop()` when done.

    Models and optimizers may be given or left out; what is used is found by itself. `out` keeps the record in a
    file of that name (it must not exist); otherwise it lies in a temporary folder.
    """
    if "torch" not in sys.modules:
        raise RuntimeError("traindx.watch needs torch: import it and build your model first")
    if _ACTIVE:
        raise RuntimeError("a run is being watched already: stop it first")
    path = Path(out) if out is not None else Path(tempfile.mkdtemp(prefix="traindx-")) / "run.tdx"
    optimizers = [w for w in watched if hasattr(w, "param_groups")]
    unknown = [w for w in watched if not (hasattr(w, "param_groups") or hasattr(w, "named_parameters"))]
    if unknown:
        raise TypeError(f"watch() takes models and optimizers, not {type(unknown[0]).__name__}")
    return Watch(path, budget)._begin(optimizers)
