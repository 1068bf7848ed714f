"""`traindx.start`: the record of a training that the script itself writes, in any framework."""

from __future__ import annotations

import atexit
import math
import os
import platform
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from .. import __version__
from ..observe.secrets import masked_text
from ..record.ending import HEARTBEAT_SECONDS, Companion
from ..record.reading import load
from ..record.vocabulary import LOGGED, MOST_STEPS
from ..record.writer import RecordWriter
from . import layers

if TYPE_CHECKING:
    from ..diagnosis import Diagnosis
    from ..record.run import Run

WRITING_SHARE = 0.01  # of the time: a script that logs seldom loses nothing to waiting for the next write
FREE_LOOKS = 64  # steps that are measured by layer whatever that costs
USUAL_BUDGET = 3.0  # per cent of the time for measuring by layer


def start(path: str | Path = "run.tdx", *, budget: float = USUAL_BUDGET) -> Recorder:
    """Begin a record at `path`, which must not exist. Log to it from your loop, and ask it for a diagnosis.

    Needs no torch: numbers and arrays of any framework will do. After the first 64 steps measured by layer, further
    ones are left out where measuring takes more than `budget` per cent of the time.
    """
    return Recorder(Path(path), budget)


class Recorder:
    """A run that the script records. Leave the `with` block or call `stop()` when it is over.

    >>> with traindx.start("run.tdx") as run:              # doctest: +SKIP
    ...     run.log(step, loss=loss, val_loss=val_loss)
    >>> print(run.diagnose())                              # doctest: +SKIP
    """

    def __init__(self, path: Path, budget: float) -> None:
        self.path = path
        self._writer = RecordWriter(path, before_flush=self._beat)
        self._companion = Companion(path)
        self._open = True
        self._run: Run | None = None
        self._began = time.monotonic()
        self._writing = self._measuring = self._beat_due = 0.0
        self._share = budget / 100.0
        self._framework: str | None = None
        self._complaints: set[tuple[str, str]] = set()
        self._looked_at: set[int] = set()
        self._params: dict[str, dict[str, Any]] = {}
        self._snapshot: tuple[int, dict[str, tuple[layers.Floats, float]]] | None = None
        self._activations = layers.Activations()
        for abandon in (self._writer.abandon, self._companion.abandon):
            os.register_at_fork(after_in_child=abandon)
        for key, value in (("traindx", __version__), ("python", platform.python_version()), ("started", time.time())):
            self._writer.fact(key, value)
        self._writer.fact("platform", platform.platform(terse=True))
        self._writer.fact("recorder", {"by": "traindx.start"})
        self._writer.flush()
        atexit.register(self._at_exit)

    # ── what a script calls; none of it raises for what it is given ─────────────────────────────

    def log(self, step: Any, values: Mapping[str, Any] | None = None, /, **columns: Any) -> None:
        """Record numbers under the names that you use: `run.log(step, loss=…, val_loss=…, lr=…, accuracy=…)`.

        Names that Python does not allow go into a dict: `run.log(step, {"val/loss": 0.3})`. None is left out.
        """
        at = self._step("log", step)
        if at is None:
            return
        for name, value in {**(values or {}), **columns}.items():
            if value is not None:
                with self._told("log", str(name)):
                    self._writer.point(f"{LOGGED}{name}", at, layers.number(value))
        self._save()

    def gradients(self, step: Any, grads: Any) -> None:
        """Record the gradients of a step by layer, now and then: a dict, list or tree of arrays, first layer first."""
        self._look("gradients", step, grads, self._gradients)

    def parameters(self, step: Any, params: Any) -> None:
        """Record the sizes of the weights. Two calls one step apart, or before and after a step with its number, also
        give the update/weight ratio of that step."""
        self._look("parameters", step, params, self._parameters)

    def activations(self, step: Any, acts: Any, *, kind: str | Mapping[str, str] | None = None) -> None:
        """Record the outputs of hidden layers on a training batch, with units on the last axis.

        `kind` says what they come out of, for all layers or by name: "relu", "tanh" or "sigmoid". Where it is left
        out, the names of the layers may say it (`relu_1`).
        """

        def measure(at: int, found: Mapping[str, layers.Floats]) -> None:
            self._rows(at, self._activations.measure(found, kind))

        self._look("activations", step, acts, measure)

    def note(self, key: str, value: Any) -> None:
        """Record a fact of docs/record.md, such as the framework, whose words fixes then use."""
        self._writer.fact(key, value)

    def diagnose(self) -> Diagnosis:
        """Find what is wrong with the run so far."""
        return self.run.diagnose()

    @property
    def run(self) -> Run:
        """What has been recorded so far, or all of it once stopped."""
        if self._open:
            self._writer.flush()
            return load(self.path)
        if self._run is None:
            self._run = load(self.path)
        return self._run

    def stop(self) -> Run:
        """End the record, and return it."""
        self._close("ok", None)
        return self.run

    def __enter__(self) -> Recorder:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._close("ok" if error is None else "exception", error)

    def __repr__(self) -> str:
        run = self.run
        state = "recording" if self._open else "stopped"
        return f"<Recorder {run.source} ({state}, {run.steps:,} step{'' if run.steps == 1 else 's'})>"

    def _repr_html_(self) -> str:
        return self.run._repr_html_()

    # ── measuring ───────────────────────────────────────────────────────────────────────────────

    def _look(
        self, what: str, step: Any, tree: Any, measure: Callable[[int, Mapping[str, layers.Floats]], None]
    ) -> None:
        at = self._step(what, step)
        if at is None or not self._affordable(at):
            return
        began = time.monotonic()
        found: dict[str, layers.Floats] = {}
        with self._told(what, "all"):
            for name, value in layers.leaves(tree):
                self._note_framework(value)
                with self._told(what, name):
                    found[name] = layers.array(value)
            measure(at, found)
        self._measuring += time.monotonic() - began
        self._save()

    def _note_framework(self, value: Any) -> None:
        package = type(value).__module__.partition(".")[0]
        if self._framework is None and package in ("jax", "jaxlib"):
            self._framework = "jax"
            version = getattr(sys.modules.get("jax"), "__version__", None)
            self.note("framework", {"name": "jax", "version": version, "site": None})

    def _affordable(self, step: int) -> bool:
        """Whether this step is measured by layer: all of it or nothing, and the snapshot after a measured step."""
        if step in self._looked_at or (self._snapshot is not None and self._snapshot[0] == step - 1):
            return True
        affordable = self._measuring <= self._share * (time.monotonic() - self._began)
        if affordable or len(self._looked_at) < FREE_LOOKS:
            self._looked_at.add(step)
            return True
        return False

    def _gradients(self, step: int, found: Mapping[str, layers.Floats]) -> None:
        self._describe(found)
        rows = layers.of_gradients(found)
        self._rows(step, rows)
        if rows["grad_norm"]:
            self._writer.point("grad_norm", step, math.hypot(*rows["grad_norm"].values()))
        for name, size in rows["grad_norm"].items():
            if self._params[name].get("grad") != "yes":
                self._params[name]["grad"] = "yes" if size != 0.0 else "zero"
                self._write_params()

    def _parameters(self, step: int, found: Mapping[str, layers.Floats]) -> None:
        self._describe(found)
        sizes = {name: values.size for name, values in found.items()}
        if step == 0 and self._snapshot is None:
            for name, values in found.items():
                self._params[name].update(layers.initial(values))
            self._write_params()
        snapshot = layers.sketched(found)
        known, self._snapshot = self._snapshot, (step, snapshot)
        if known is not None and known[0] in (step, step - 1):
            rows = layers.of_update(known[1], snapshot, sizes)
            self._rows(known[0], rows)
            moves = rows["update_norm"]
            if whole := math.hypot(*(known[1][name][1] for name in moves)):
                self._writer.point("update_ratio", known[0], math.hypot(*moves.values()) / whole)
        if known is None or known[0] != step:
            self._rows(step, {"weight_norm": {name: size for name, (_, size) in snapshot.items()}})
            self._writer.point("weight_norm", step, math.hypot(*(size for _, size in snapshot.values())))

    def _rows(self, step: int, rows: Mapping[str, layers.Row]) -> None:
        for quantity, row in rows.items():
            if row:
                self._writer.layers(quantity, step, list(row), list(row.values()))

    def _describe(self, found: Mapping[str, layers.Floats]) -> None:
        new = [name for name in found if name not in self._params]
        for name in new:
            self._params[name] = layers.described(name, found[name], len(self._params))
        if new:
            self._write_params()

    def _write_params(self) -> None:
        self._writer.fact("params", list(self._params.values()))

    # ── bad input, writing, the end ─────────────────────────────────────────────────────────────

    def _step(self, what: str, step: Any) -> int | None:
        if not self._open:
            self._complain(what, "run", "the record was stopped")
            return None
        with self._told(what, "step"):
            at = layers.number(step)
            if at != int(at) or not 0 <= at < MOST_STEPS:
                raise ValueError(f"{step!r} is not a step number (0, 1, 2 …)")
            return int(at)
        return None

    @contextmanager
    def _told(self, what: str, name: str) -> Iterator[None]:
        """Turns an error about one value into one line."""
        try:
            yield
        except Exception as error:
            self._complain(what, name, f"{type(error).__name__}: {error}")

    def _complain(self, what: str, name: str, reason: str) -> None:
        """One line for each name and method: a loop repeats the same mistake."""
        if (what, name) not in self._complaints and len(self._complaints) < 100:
            self._complaints.add((what, name))
            line = " ".join(masked_text(f"{what}: {name} is not recorded ({reason})").split())[:300]
            with suppress(Exception):
                print(f"traindx: {line}; the run goes on", file=sys.stderr)

    def _save(self) -> None:
        began = time.monotonic()
        if self._writing <= WRITING_SHARE * (began - self._began):
            self._writer.flush()
        else:
            self._writer.flush_if_due()
        self._writing += time.monotonic() - began

    def _beat(self) -> None:
        if time.monotonic() >= self._beat_due:
            self._beat_due = time.monotonic() + HEARTBEAT_SECONDS
            self._writer.fact("heartbeat", time.time())

    def _at_exit(self) -> None:
        """The script ended without `stop()`. Python keeps the exception that it printed, if there was one."""
        raised = None if hasattr(sys, "ps1") else getattr(sys, "last_value", None)
        self._close("ok" if raised is None else "exception", raised)

    def _close(self, status: str, error: BaseException | None) -> None:
        if not self._open:
            return
        self._open = False
        atexit.unregister(self._at_exit)
        if error is not None:
            facts = {"type": type(error).__name__, "message": masked_text(str(error))[:2000], "site": None}
            self._writer.fact("error", facts)
        self._writer.fact("exit", status)
        self._writer.fact("ended", time.time())
        self._writer.close()
        self._companion.remove()
