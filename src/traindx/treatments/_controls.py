"""The control and placebo arms that every trial is compared with, and the measures of comparison."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from ..record import Run
from ..signs import Signs, measure_all
from . import _outcomes as outcomes
from ._arms import CONTROL, Arm, Arms, Length, Made
from ._base import Dose, Intervention, JudgedBy
from ._outcomes import OF_LENGTH, Difference, Outcome

# A change that should have no effect, so that any effect it has is noise: a learning rate times 1.000001.
PLACEBO = Arm("placebo", "rates:Multiplied", {"factor": 1.0 + 1e-6})
PLACEBO_EVERY = 2  # every second seed also has a placebo
SAME_START = 1e-4  # first losses of two runs with the same seed may differ by this share
MEASURES: dict[JudgedBy, str] = {
    "loss": "training loss",
    "score": "loss-free score",
    "validation": "validation loss",
    "symptoms": "training loss",
    "time": "seconds per step",
}


@dataclass
class Controls:
    """The arms that every trial is compared with, run when they are needed."""

    arms: Arms
    length: Length
    signs: Signs
    made: dict[int, Made] = field(default_factory=dict)
    placebos: dict[int, Made] = field(default_factory=dict)
    seeded: bool = True  # the same seed gives the same first loss
    _signs: dict[int, Signs] = field(default_factory=dict)

    def ensure(
        self, seeds: Sequence[int], others: Sequence[tuple[Arm, int]], steps: float = 1.0, alone: bool = False
    ) -> list[Made]:
        """Runs other arms together with the missing controls and placebos of these seeds; returns the other arms.
        `steps`: the other arms' steps for each step of the control. `alone`: one run at a time, to measure speed."""
        missing = [(CONTROL, seed) for seed in seeds if seed not in self.made]
        blind = [(PLACEBO, seed) for seed in seeds if seed % PLACEBO_EVERY == 0 and seed not in self.placebos]
        long = self.longer(steps)
        wanted = [*((arm, seed, long) for arm, seed in others), *((*each, self.length) for each in [*missing, *blind])]
        found = [self.arms.run(*each) for each in wanted] if alone else self.arms.all(wanted)
        for (arm, seed), made in zip([*missing, *blind], found[len(others) :], strict=True):
            (self.made if arm is CONTROL else self.placebos)[seed] = made
        self._compare_starts()
        return found[: len(others)]

    def longer(self, steps: float) -> Length:
        """The length of an arm that makes `steps` steps for each step of the control."""
        count, seconds = round(steps * self.length.steps), max(1.0, steps) * self.length.seconds
        return replace(self.length, steps=max(1, count), seconds=seconds)

    def signs_of(self, seed: int) -> Signs:
        """The signs of this seed's control."""
        if seed == 0:
            return self.signs
        if seed not in self._signs:
            made = self.made[seed]
            measured = measure_all(made.run) if made.run is not None else self.signs
            self._signs[seed] = measured.without(OF_LENGTH if made.cut else ())
        return self._signs[seed]

    def _compare_starts(self) -> None:
        """Clear `seeded` if control and placebo start differently: their first losses precede any change."""
        for seed, placebo in self.placebos.items():
            control = self.made.get(seed)
            if control is None or control.run is None or placebo.run is None:
                continue
            one, other = control.run.series("loss/train").values, placebo.run.series("loss/train").values
            if len(one) and len(other) and not np.isclose(one[0], other[0], SAME_START, 1e-12, equal_nan=True):
                self.seeded = False

    @property
    def noiseless(self) -> bool:
        """Whether placebos changed nothing at all, not even the last bit."""
        pairs = [(self.made.get(seed), placebo) for seed, placebo in self.placebos.items()]
        runs = [(one.run, other.run) for one, other in pairs if one is not None and one.run and other.run]
        return bool(runs) and all(_same_losses(one, other) for one, other in runs)

    def reached(self, run: Run, steps: float = 1.0) -> bool:
        """Whether a run got far enough to show the control's symptoms; `steps` as in `ensure`."""
        control = self.made[0].run
        return control is not None and 2 * run.steps >= steps * min(control.steps, self.length.steps)

    def outcome(self, seed: int, steps: int) -> Outcome | None:
        run = self.made[seed].run
        return outcomes.outcome(run, steps) if run is not None else None

    def scatter(self, kind: JudgedBy) -> list[float]:
        """The differences between controls and placebos; if the script ignores seeds, also those between controls."""
        steps = self.length.steps
        pairs = [(self.made[s], placebo) for s, placebo in self.placebos.items() if s in self.made]
        if not self.seeded:
            others = [made for seed, made in self.made.items() if seed]
            pairs += [(self.made[0], other) for other in others]
        found = []
        for one, other in pairs:
            if one.run is not None and other.run is not None:
                both = outcomes.outcome(one.run, steps), outcomes.outcome(other.run, steps)
                found.append(difference(kind, *both))
        return [each.value for each in found if each is not None]


def difference(kind: JudgedBy, control: Outcome, treated: Outcome) -> Difference | None:
    """How much better the treated arm is by this measure; None if it was not measured."""
    if kind == "score":
        # On held-out data if there are any: on training data, a model may have nothing left to gain.
        return outcomes.in_score(control.validation_score, treated.validation_score) or outcomes.in_score(
            control.score, treated.score
        )
    if kind == "validation":
        return outcomes.in_validation(control, treated)
    if kind == "time":
        return outcomes.in_pace(control, treated)
    return outcomes.in_loss(control, treated)


def kind_of(measure: str, otherwise: JudgedBy) -> JudgedBy:
    """The kind of judgement behind a measure's name; `otherwise` if several kinds share the name."""
    found: list[JudgedBy] = [kind for kind, name in MEASURES.items() if measure.startswith(name)]
    return otherwise if otherwise in found else found[0] if found else otherwise


def _same_losses(one: Run, other: Run) -> bool:
    first, second = one.series("loss/train").values, other.series("loss/train").values
    length = min(len(first), len(second))
    return bool(length) and bool(np.array_equal(first[:length], second[:length], equal_nan=True))


def judged_by(intervention: Intervention, dose: Dose, controls: Controls) -> JudgedBy:
    """The kind that the dose or its intervention requests. In adversarial training, where losses mean little, symptoms
    decide instead of the loss."""
    kind = dose.judged_by or intervention.judged_by
    run = controls.made[0].run
    rivals = run is not None and len(run.optimizers) > 1 and len(run.backward_sites) > 1
    return "symptoms" if rivals and kind == "loss" else kind
