"""Steps the scheduler once per epoch instead of once per batch, or holds the learning rate at its peak."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...observe.hook_points.hooks import Driver
from ...record import Run
from ...signs import Signs
from .._base import Dose, Intervening, Refusal
from ._rates import Overriding, Scaled

ID = "slow-scheduler"
TITLE = "Keep the learning rate from decaying so soon"
TESTS = ("lr-decays-too-soon",)
SAFETY = "changes-result"
JUDGED_BY = "loss"

OFTEN = 0.5  # the scheduler steps per batch if the learning rate changes after at least this share of the steps


def doses(run: Run, signs: Signs, cause: str) -> Sequence[Dose] | Refusal:
    if not run.optimizers:
        return Refusal("no optimizer with a learning rate was seen")
    held = Dose({}, "learning rate held at its peak")
    batches = [loader.batches for loader in run.loaders if loader.role == "train" and loader.batches]
    if run.entries("schedulers") and _changes(run) >= OFTEN and batches and batches[0] > 1:
        every = int(batches[0])
        return [Dose({"every": every}, f"scheduler stepped once every {every} steps (an epoch)"), held]
    return [held]


def _changes(run: Run) -> float:
    rates = run.series("lr").finite.values
    return float((rates[1:] != rates[:-1]).mean()) if len(rates) > 1 else 0.0


class _PerEpoch(Intervening):
    """Lets only every n-th call of `scheduler.step()` through."""

    def __init__(self, every: int) -> None:
        super().__init__()
        self._every = every
        self._asked: dict[int, int] = {}

    def scheduler_step(self, scheduler: Any) -> bool:
        asked = self._asked[id(scheduler)] = self._asked.get(id(scheduler), 0) + 1
        passes = asked % self._every == 0
        self.acted += not passes
        return passes


def begin(options: Mapping[str, Any]) -> Driver:
    return _PerEpoch(int(options["every"])) if "every" in options else Overriding(Scaled(1.0))
