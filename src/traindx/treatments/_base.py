"""What an intervention is. Its module, one file in `interventions/`, defines these names; `all_interventions()`
collects them, and those of other packages by the entry-point group `traindx.treatments.interventions`.

    ID = "scale-lr"
    TITLE = "Scale the learning rate"     an imperative sentence without a full stop
    TESTS = ("lr-too-high", "lr-too-low") the causes that it tests, most specific first
    SAFETY = "changes-result"             as of a fix: safe, changes-result, costly
    JUDGED_BY = "loss"                    which outcome has to be better, see below
    COST = 1.0                            run time in multiples of the control's (optional)
    DECISIVE = 1.0                        how far a cure proves the very cause, 0 to 1 (optional)
    LEAVES = ("loss-negated",)            signs that stay in the record although their fault is gone (optional):
                                          those read from the script's own loss, where another one is differentiated
    def doses(run, signs, cause) -> Sequence[Dose] | Refusal
    def begin(options) -> Driver          acts inside the script's process
    def fix(run, signs, cause, dose) -> Fix | None   the source's change for another dose than the first (optional)

JUDGED_BY
    loss        the training loss at equal steps. The loss-free score must not fall and validation must not worsen.
    score       the loss-free score: for changes of the loss itself, after which losses cannot be compared.
    validation  what the script's own evaluation measures.
    symptoms    the symptom alone; the outcome must not be worse. For faults that do not slow the training.
    time        the seconds that a step takes; the loss must not be worse.

`doses` chooses numbers from this run, the fix's own number first. The module must import without torch: `begin` and
its driver run where the script has imported it, `doses` runs where nobody has. A driver counts in `acted` how often it
really changed something; a trial whose driver never acted has failed.

An experiment, one file in `experiments/`, tests a cause that no change of the run cures. It defines ID, TITLE, TESTS,
COST and `arms(run, signs, cause) -> Sequence[Dose] | Refusal`, `begin(options) -> Driver`, and
`tells(control, arms) -> Told`: what the records of the control and of the arms say about the cause.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Literal

from ..causes import Fix
from ..observe.hook_points.hooks import Driver
from ..record import Run
from ..signs import Signs
from ..units import modules_of

JudgedBy = Literal["loss", "score", "validation", "symptoms", "time"]
Safety = Literal["safe", "changes-result", "costly"]


@dataclass(frozen=True)
class Dose:
    """One way to make the change: `options` go to `begin`, `text` tells people ("learning rate 0.5 -> 0.003").

    `steps`: how many steps the changed run makes for each of the control's. With batches of another size, both have
    then seen equal numbers of samples. `fix`: the source's own change is made instead of a driver's. `judged_by`: by
    what this dose is judged, where that is not what the intervention says.
    """

    options: Mapping[str, Any]
    text: str
    steps: float = 1.0
    fix: Fix | None = None
    judged_by: JudgedBy | None = None


@dataclass(frozen=True)
class Refusal:
    """Why the change cannot be made in this run: one clause."""

    reason: str


@dataclass(frozen=True)
class Told:
    """What an experiment says: `for` or `against` the cause, or `nothing`; `factor` is the likelihood ratio."""

    answer: Literal["for", "against", "nothing"]
    text: str
    factor: float = 1.0


class Intervening(Driver):
    """A driver that counts what it changed. `note` is told where the trial fails. `samples`: it exchanges whole
    samples, so that answers are to be scored against the targets that it gives instead of the script's own."""

    samples = False

    def __init__(self) -> None:
        self.acted = 0
        self.note = ""

    def findings(self) -> dict[str, Any]:
        return {"acted": self.acted, "note": self.note}


@dataclass(frozen=True)
class Intervention:
    """One intervention, as its module defines it."""

    id: str
    title: str
    tests: tuple[str, ...]
    safety: Safety
    judged_by: JudgedBy
    doses: Callable[[Run, Signs, str], Sequence[Dose] | Refusal]
    module: str
    cost: float = 1.0
    decisive: float = 1.0
    leaves: tuple[str, ...] = ()
    fix: Callable[[Run, Signs, str, Dose], Fix | None] | None = None


@dataclass(frozen=True)
class Experiment:
    """One experiment, as its module defines it."""

    id: str
    title: str
    tests: tuple[str, ...]
    arms: Callable[[Run, Signs, str], Sequence[Dose] | Refusal]
    tells: Callable[[Run, Sequence[Run]], Told]
    module: str
    cost: float = field(default=1.0)


@cache
def all_interventions() -> dict[str, Intervention]:
    """Every intervention, by id."""
    found: dict[str, Intervention] = {}
    for module in modules_of("traindx.treatments.interventions", defining="JUDGED_BY"):
        if module.ID in found:
            raise ValueError(f"two interventions are called {module.ID}")
        found[module.ID] = Intervention(
            id=module.ID,
            title=module.TITLE,
            tests=tuple(module.TESTS),
            safety=module.SAFETY,
            judged_by=module.JUDGED_BY,
            doses=module.doses,
            module=module.__name__,
            cost=float(getattr(module, "COST", 1.0)),
            decisive=float(getattr(module, "DECISIVE", 1.0)),
            leaves=tuple(getattr(module, "LEAVES", ())),
            fix=getattr(module, "fix", None),
        )
    return found


@cache
def all_experiments() -> dict[str, Experiment]:
    """Every experiment, by id."""
    found: dict[str, Experiment] = {}
    for module in modules_of("traindx.treatments.experiments", defining="tells"):
        if module.ID in found:
            raise ValueError(f"two experiments are called {module.ID}")
        found[module.ID] = Experiment(
            id=module.ID,
            title=module.TITLE,
            tests=tuple(module.TESTS),
            arms=module.arms,
            tells=module.tells,
            module=module.__name__,
            cost=float(getattr(module, "COST", 1.0)),
        )
    return found
