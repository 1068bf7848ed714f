"""What interventions and experiments are.

An *intervention* is a change of a run that should cure a cause: a row in a file of `interventions/`, written as a
function under the decorator `@intervention(…)`. The function chooses the doses from this run, the fix's own number
first. An *experiment* (`interventions/experiments.py`) shows whether a cause holds that no change of the run cures.
Both name a driver of `drivers/`, which makes the change inside the script's process; it counts in `acted` how often it
changed something, and a trial whose driver never acted has failed. Rows must import without torch.

Other packages add interventions and experiments by the entry-point groups `traindx.treatments.interventions` and
`traindx.treatments.experiments`, each a module with such rows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pkgutil import resolve_name
from types import ModuleType
from typing import Any, Literal, TypeVar

from ..causes import Fix
from ..observe.hook_points.hooks import Driver
from ..record import Run
from ..record.program import OVER_CHANCES, OVER_VALUES
from ..signs import Signs
from ..units import by_id, modules_of

JudgedBy = Literal["loss", "score", "validation", "symptoms", "time"]
Safety = Literal["safe", "changes-result", "costly"]
DRIVERS = "traindx.treatments.drivers"
ROWS = "traindx.treatments.interventions"


@dataclass(frozen=True)
class Dose:
    """One way to make the change: `options` go to the driver, `text` is for people ("learning rate 0.5 -> 0.003").

    `steps`: how many steps the treated run makes for each step of the control, so that both see the same number of
    samples if the batch size changes. `fix`: run the script with this fix instead of a driver. `judged_by`: overrides
    the intervention's own for this dose. `driver`: likewise.
    """

    options: Mapping[str, Any]
    text: str
    steps: float = 1.0
    fix: Fix | None = None
    judged_by: JudgedBy | None = None
    driver: str | None = None


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


@dataclass(eq=False)
class Intervening(Driver):
    """A driver that counts its changes in `acted`. `note` explains why it did not act. With `samples`, it replaces
    whole samples, so predictions are scored against its targets instead of the script's own."""

    samples = False
    acted: int = field(default=0, init=False)
    note: str = field(default="", init=False)

    def findings(self) -> dict[str, Any]:
        return {"acted": self.acted, "note": self.note}


Doses = Callable[[Run, Signs, str], Sequence[Dose] | Refusal]


@dataclass(frozen=True)
class Intervention:
    """One intervention.

    `tests`: the causes that it tests. `driver`: "module:Class" in `drivers/`, or a full name. `judged_by`: the outcome
    that must improve:
        loss        the training loss at equal steps. Neither the loss-free score nor the validation loss may get worse.
        score       the loss-free score: for changes of the loss itself, after which losses cannot be compared.
        validation  the validation loss of the script's own evaluation.
        symptoms    only the symptom; the outcome must not be worse. For faults that do not slow the training.
        time        the seconds per step; the loss must not be worse.
    `safety`: as for a fix. `cost`: run time in multiples of the control's. `decisive`: how strongly a cure proves the
    cause, 0 to 1. `leaves`: signs that remain although the fault is gone, for example because they are read from the
    script's own loss, not from the one differentiated. `fix`: the change of the source for any dose but the first.
    """

    id: str
    title: str
    tests: tuple[str, ...]
    doses: Doses
    driver: str
    about: str = ""
    safety: Safety = "changes-result"
    judged_by: JudgedBy = "loss"
    cost: float = 1.0
    decisive: float = 1.0
    leaves: tuple[str, ...] = ()
    fix: Callable[[Run, Signs, str, Dose], Fix | None] | None = None


@dataclass(frozen=True)
class Experiment:
    """One experiment. `tells` compares the records of the control and of the arms. `last`: it says something only when
    nothing else is left to try."""

    id: str
    title: str
    tests: tuple[str, ...]
    arms: Doses
    tells: Callable[[Run, Sequence[Run]], Told]
    driver: str
    about: str = ""
    cost: float = 1.0
    last: bool = False


def intervention(
    id: str, title: str, tests: str | Sequence[str], driver: str, **more: Any
) -> Callable[[Doses], Intervention]:
    """Declares a row: the decorator of the function that chooses its doses. `more`: other fields of `Intervention`."""
    causes = (tests,) if isinstance(tests, str) else tuple(tests)
    return lambda doses: Intervention(id, title, causes, doses, driver, doses.__doc__ or "", **more)


def experiment(
    id: str,
    title: str,
    tests: str,
    driver: str,
    tells: Callable[[Run, Sequence[Run]], Told],
    cost: float = 1.0,
    last: bool = False,
) -> Callable[[Doses], Experiment]:
    """Declares an experiment: the decorator of the function that chooses its arms."""
    return lambda arms: Experiment(id, title, (tests,), arms, tells, driver, arms.__doc__ or "", cost, last)


def driver_of(place: str, options: Mapping[str, Any]) -> Any:
    """The driver, inside the script's process. `place`: "module:Class" in `drivers/` or elsewhere, or a module with
    `begin`."""
    own = ":" in place and "." not in place
    found = resolve_name(f"{DRIVERS}.{place}" if own else place)
    return found.begin(options) if isinstance(found, ModuleType) else found(**options)


@cache
def all_interventions() -> dict[str, Intervention]:
    """All interventions by id."""
    return _rows("interventions", Intervention)


@cache
def all_experiments() -> dict[str, Experiment]:
    """All experiments by id."""
    return _rows("experiments", Experiment)


Unit = TypeVar("Unit", Intervention, Experiment)


def _rows(called: str, kind: type[Unit]) -> dict[str, Unit]:
    """All rows of this kind, and those of other packages in the group of that name."""

    def within(module: ModuleType) -> list[Unit]:
        return [unit for unit in vars(module).values() if isinstance(unit, kind)]

    places = modules_of(ROWS, lambda module: bool(within(module)), f"traindx.treatments.{called}")
    return dict(sorted(by_id(((unit.id, unit) for module in places for unit in within(module)), called).items()))


# ── names of torch's functions and modules that rows (which do not import torch) and drivers share ───

ELEMENTWISE = (*OVER_VALUES, *OVER_CHANCES, "gaussian_nll_loss")
SIGNED_LOSSES = ("soft_margin_loss", "hinge_embedding_loss")  # their labels are -1 and 1
ACTIVATIONS = ("sigmoid", "tanh", "relu", "softplus", "softmax", "hardtanh", "relu6", "softsign", "leaky_relu", "elu")

WEIGHTED = ("Linear", "Conv1d", "Conv2d", "Conv3d", "LazyLinear")
RECTIFIERS = ("ReLU", "LeakyReLU", "GELU", "SiLU", "ELU", "SELU", "ReLU6", "Mish", "Hardswish", "PReLU", "CELU")
SQUASHING = ("Sigmoid", "Tanh", "Softsign", "Hardtanh", "Hardsigmoid")
SQUASHING_CALLS = ("sigmoid", "tanh")
BATCH_NORMS = ("BatchNorm1d", "BatchNorm2d", "BatchNorm3d")


# ── causes that neither an intervention nor an experiment tests, and why ──────────────────────────

WHY_NOT = {
    "double-descent": "it shows only in runs much longer than a trial",
    "validation-on-nothing": "there is no sample to evaluate on, whatever else changes",
    "leaked-validation": "the shared samples were counted directly, so there is nothing left to test",
    "replicas-diverged": "trials run in one process, where there are no replicas",
    "duplicated-data": "trials run in one process, where no other rank has samples",
    "straggler-rank": "trials run in one process, where there are no ranks to compare",
}
