"""What the lab report is made of: quantities, what was read of them in one run, and the facts that are printed.

A reading may be compared with runs of its kind. Every run belongs to the coarse kind, its `view`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from ..record import Run
from ..record.program import REGRESSION
from ..signs import Signs

Flag = Literal["LL", "L", "", "H", "HH"]


@dataclass(frozen=True)
class Reading:
    """One number of one run. `strata`: the kinds of run that it may be compared with, the narrowest first."""

    value: float
    strata: Sequence[str]
    where: str | None = None  # layer, file:line or step


@dataclass(frozen=True)
class Quantity:
    """Something that is measured in every run that allows it.

    `grain` is the smallest difference that means anything: in the quantity's unit, or with `log` as a natural logarithm
    of the ratio. What lies less than that beyond a range is not flagged.
    """

    id: str
    name: str
    question: str  # one of signs/questions.py
    read: Callable[[Run, Signs], Iterable[Reading]]
    unit: str = ""  # share, times, yes/no, or a noun
    log: bool = False
    grain: float = 0.02
    sign: str = ""  # the sign that measures it, if one does
    kin: tuple[str, ...] = ()  # signs that judge the same thing by another measure
    outcome: bool = False  # how the run went: what follows from everything else


@dataclass(frozen=True)
class Fact:
    """One line of the lab report. A fact about the wiring has no reference, and its flag is None."""

    id: str
    text: str  # the whole of it as one sentence
    value: Any
    name: str = ""
    question: str = ""
    unit: str | None = None
    where: str | None = None
    reference: tuple[float, float] | None = None  # 5 % and 95 % of healthy runs
    percentile: float | None = None
    flag: Flag | None = None
    n: int | None = None  # healthy runs behind the reference
    stratum: str = ""
    surprise: float = 0.0  # how far from the median, in widths of the healthy range


OBSERVED, LOG = "observed", "log"
CLASSES = ("cross-entropy", "nll", "bce", "bce-logits")


def view(run: Run) -> str:
    """What can be seen of a run: all of it, or the curves of a log."""
    return OBSERVED if run.kind == OBSERVED else LOG


def plain(run: Run) -> tuple[str, ...]:
    return (view(run),)


def by_optimizer(run: Run) -> tuple[str, ...]:
    """Adaptive optimizers make steps of another size than SGD."""
    if not run.optimizers:
        return plain(run)
    return (f"{view(run)}/{'adaptive' if run.optimizers[0].adaptive else 'sgd'}", view(run))


def by_task(run: Run) -> tuple[str, ...]:
    """Classes, values, or something else; a log does not say."""
    kinds = {call.kind for call in run.training_losses if call.kind}
    if not kinds:
        return plain(run)
    task = "classes" if kinds <= set(CLASSES) else "values" if kinds <= set(REGRESSION) else "several"
    return (f"{view(run)}/{task}", view(run))
