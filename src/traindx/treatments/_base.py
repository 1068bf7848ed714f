"""What interventions and experiments are. An intervention is one file in `interventions/` that defines the names below.
`all_interventions()` collects them, and those of other packages by the entry-point group
`traindx.treatments.interventions`.

    ID = "scale-lr"
    TITLE = "Scale the learning rate"     an imperative sentence without a full stop
    TESTS = ("lr-too-high", "lr-too-low") the causes that it tests, most specific first
    SAFETY = "changes-result"             as for a fix: safe, changes-result, costly
    JUDGED_BY = "loss"                    which outcome must improve, see below
    COST = 1.0                            run time in multiples of the control's (optional)
    DECISIVE = 1.0                        how strongly a cure proves this cause, 0 to 1 (optional)
    LEAVES = ("loss-negated",)            signs that remain although the fault is gone (optional), for example because
                                          they are read from the script's own loss, not from the one differentiated
    def doses(run, signs, cause) -> Sequence[Dose] | Refusal
    def begin(options) -> Driver          acts inside the script's process
    def fix(run, signs, cause, dose) -> Fix | None   the change of the source for any dose but the first (optional)

JUDGED_BY
    loss        the training loss at equal steps. Neither the loss-free score nor the validation loss may get worse.
    score       the loss-free score: for changes of the loss itself, after which losses cannot be compared.
    validation  the validation loss of the script's own evaluation.
    symptoms    only the symptom; the outcome must not be worse. For faults that do not slow the training.
    time        the seconds per step; the loss must not be worse.

`doses` chooses numbers from this run, the fix's own number first. It runs in a process without torch, so the module
must import without torch; `begin` and its driver run in the script's process. A driver counts in `acted` how often it
changed something; a trial whose driver never acted has failed.

An experiment is one file in `experiments/`. It tests a cause that no change of the run cures. It defines ID, TITLE,
TESTS, COST (optional), `arms(run, signs, cause) -> Sequence[Dose] | Refusal`, `begin(options) -> Driver`, and
`tells(control, arms) -> Told`, which compares the records of the control and of the arms.
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
    """One way to make the change: `options` go to `begin`, `text` is for people ("learning rate 0.5 -> 0.003").

    `steps`: how many steps the treated run makes for each step of the control, so that both see the same number of
    samples if the batch size changes. `fix`: run the script with this fix instead of a driver. `judged_by`: overrides
    the intervention's JUDGED_BY for this dose.
    """

    options: Mapping[str, Any]
    text: str
    steps: float = 1.0
    fix: Fix | None = None
    judged_by: JudgedBy | None = None


@dataclass(frozen=True)
class Refusal:
    """The reason, in one clause, why the change cannot be made in this run."""

    reason: str


@dataclass(frozen=True)
class Told:
    """The answer of an experiment: `for` or `against` the cause, or `nothing`; `factor` is the likelihood ratio."""

    answer: Literal["for", "against", "nothing"]
    text: str
    factor: float = 1.0


class Intervening(Driver):
    """A driver that counts its changes in `acted`. `note` explains why it did not act. With `samples`, it replaces
    whole samples, so predictions are scored against its targets instead of the script's own."""

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
    """All interventions by id."""
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
    """All experiments by id."""
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
