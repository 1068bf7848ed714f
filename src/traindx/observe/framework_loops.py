"""The framework that runs the training loop, and what its trainer knows of the training.

Only attributes are read that hold what is known already: a property may compute, warn or talk to other ranks.
"""

from __future__ import annotations

import math
import sys
import weakref
from collections.abc import Iterator
from types import FrameType
from typing import Any

from .sites import describe, locals_of, user_frame

# By module: what runs loops of its own. Accelerate, Fabric and their like wrap parts of a loop that the user writes.
LOOPS = {
    "lightning.pytorch": "lightning",
    "pytorch_lightning": "lightning",
    "transformers.trainer": "huggingface",
    "keras": "keras",
    "skorch": "skorch",
    "fastai": "fastai",
    "ignite": "ignite",
}
# The oldest versions that docs/guides/frameworks.md names; `python -m benchmarks.versions` runs them.
OLDEST = {"lightning": (2, 0), "huggingface": (4, 30), "keras": (3, 0), "skorch": (0, 11)}
_ABOUT_SPEED = ("_runtime", "_per_second")
Found = tuple[str, int, Any]  # a metric's own name, the step it belongs to, its value


class Loop:
    """The loop of a framework, as the stack of a backward shows it."""

    def __init__(self, frame: FrameType, package: str) -> None:
        version = getattr(sys.modules.get(package.partition(".")[0]), "__version__", None)
        self.name = LOOPS[package]
        self.version = str(version) if version else None
        self.fact = {"name": self.name, "version": self.version, "site": describe(user_frame(frame))}
        trainer = None if self.too_old else _trainer(frame, getattr(sys.modules.get(package), "Trainer", None))
        self._trainer = (lambda: None) if trainer is None else weakref.ref(trainer)
        self._logged = 0  # entries of a log that were read
        self._last: dict[str, Any] = {}  # weak references to the values that were read

    @property
    def too_old(self) -> str:
        """Why nothing of the framework's own knowledge is read; empty where it is."""
        oldest = OLDEST.get(self.name)
        if oldest is None or self.version is None or _numbers(self.version) >= oldest:
            return ""
        wanted = ".".join(map(str, oldest))
        return (
            f"{self.name} {self.version} is older than {wanted}, the oldest version that traindx knows: "
            "what it logs and plans is not read; the training is observed all the same"
        )

    def planned(self) -> int | None:
        """How many updates the trainer is going to make, where it says so."""
        trainer = self._trainer()
        if trainer is None:
            return None
        if self.name == "huggingface":
            return _whole(getattr(trainer.state, "max_steps", None))
        module = getattr(trainer, "lightning_module", None)
        if not getattr(module, "automatic_optimization", False):
            return None  # its training_step makes the updates
        epochs, batches, known = _whole(trainer.max_epochs), trainer.num_training_batches, _whole(trainer.max_steps)
        if epochs is None or not isinstance(batches, (int, float)) or not 0 < batches < math.inf:
            return known
        of_epochs = epochs * math.ceil(batches / max(1, _whole(trainer.accumulate_grad_batches) or 1))
        return of_epochs if known is None else min(known, of_epochs)

    def metrics(self, step: int) -> Iterator[Found]:
        """What the framework logged since it was last asked, under the user's own names."""
        trainer = self._trainer()
        if trainer is None:
            return
        if self.name == "huggingface":
            yield from self._log_history(trainer.state.log_history)
        else:
            yield from self._callback_metrics(trainer, step)

    def _log_history(self, history: list[dict[str, Any]]) -> Iterator[Found]:
        new, self._logged = history[self._logged :], len(history)
        for entry in new:
            if "train_runtime" in entry:
                continue  # the summary at the end
            done = int(entry.get("step", 0))  # updates
            for name, value in entry.items():
                if (
                    name not in ("step", "epoch")
                    and not name.endswith(_ABOUT_SPEED)
                    and isinstance(value, (int, float))
                ):
                    yield name, done if name.startswith("eval_") else max(0, done - 1), float(value)

    def _callback_metrics(self, trainer: Any, step: int) -> Iterator[Found]:
        held = getattr(getattr(trainer, "_logger_connector", None), "_callback_metrics", None)
        for name, value in list(held.items()) if isinstance(held, dict) else ():
            last = self._last.get(name)
            if getattr(value, "ndim", None) == 0 and (last is None or last() is not value):
                self._last[name] = weakref.ref(value)
                yield name, step, value.detach()


def loop_around(frame: FrameType | None) -> Loop | None:
    """The loop of a framework that calls this frame."""
    while frame is not None:
        module = str(frame.f_globals.get("__name__", ""))
        package = next((name for name in LOOPS if module == name or module.startswith(f"{name}.")), None)
        if package is not None:
            return Loop(frame, package)
        frame = frame.f_back
    return None


def _trainer(frame: FrameType | None, kind: Any) -> Any:
    while frame is not None and isinstance(kind, type):
        if "self" in frame.f_code.co_varnames[:1] and isinstance(found := locals_of(frame).get("self"), kind):
            return found
        frame = frame.f_back
    return None


def _numbers(version: str) -> tuple[int, ...]:
    parts = version.split(".")[:2]
    return tuple(int(part) if part.isdecimal() else 0 for part in parts)


def _whole(value: Any) -> int | None:
    return value if type(value) is int and value > 0 else None
