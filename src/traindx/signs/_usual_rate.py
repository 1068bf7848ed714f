"""The learning rate against what people use with the same optimizer: what an experienced eye notices first."""

from __future__ import annotations

from dataclasses import dataclass

from ..record import Run
from ..record.values import entries, number, text
from ._params import fits_a_network
from ._rate import learning_rate

# torch's defaults, or where those are placeholders (SGD, RMSprop) what tutorials and papers use.
USUAL = {
    "Adam": 1e-3, "AdamW": 1e-3, "NAdam": 2e-3, "RAdam": 1e-3, "Adamax": 2e-3, "SparseAdam": 1e-3, "Lion": 1e-4,
    "RMSprop": 1e-3, "Adagrad": 1e-2, "Adafactor": 1e-2, "ASGD": 1e-2, "SGD": 0.1,
}  # fmt: skip


@dataclass(frozen=True)
class UsualRate:
    name: str  # of the optimizer
    peak: float  # the highest rate of the run
    usual: float
    momentum: bool  # whether the peak counts momentum

    @property
    def ratio(self) -> float:
        return self.peak / self.usual


def usual_rate(run: Run) -> UsualRate | None:
    """The first stepping optimizer's peak rate and the usual one; None where either is not known.

    Momentum m makes each gradient count 1/(1-m) times; plain SGD's usual rate is given for m = 0. It is
    usual for networks: a few numbers, positions or pixels are fitted at rates of their own.
    """
    if not fits_a_network(run):
        return None
    for optimizer in run.entries("optimizers"):
        name = text(optimizer.get("class"))
        groups = entries(optimizer.get("groups"))
        if name not in USUAL or not groups or not number(optimizer.get("steps")):
            continue
        stated = number(groups[0].get("lr"))
        course = learning_rate(run)
        peak = max(stated or 0.0, course.peak if course is not None else 0.0)
        momentum = number(groups[0].get("momentum")) or 0.0
        if name == "SGD" and 0 <= momentum < 1:
            peak /= 1 - momentum
        return UsualRate(name, peak, USUAL[name], bool(momentum)) if peak > 0 else None
    return None
