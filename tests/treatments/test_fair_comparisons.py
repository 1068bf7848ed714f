"""Batch sizes are compared at equal samples, loading by the time of a step, fitted runs by validation."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from traindx.diagnosis import Hypothesis
from traindx.record import RunBuilder
from traindx.record.experiments import Probe
from traindx.record.forms import read
from traindx.signs import Sign, Signs
from traindx.treatments import Dose, all_interventions
from traindx.treatments._arms import Arm, Length, Made
from traindx.treatments._controls import Controls
from traindx.treatments._trials import _judged, try_dose


def run(losses: Any, seconds: float = 0.01, validation: float | None = None) -> Made:
    builder = RunBuilder("train.py", "observed")
    steps = np.arange(len(losses))
    builder.series("loss/train", steps, losses)
    for part in ("data", "forward", "backward", "step"):
        builder.series(f"time/{part}", steps, np.full(len(losses), seconds / 4))
    if validation is not None:
        builder.series("loss/validation", steps[-5:], np.full(5, validation))
    builder.fact("steps", len(losses))
    return Made(builder.build(), read(Probe, {"acted": 1}), 1.0)


def falling(steps: int, rate: float, floor: float = 0.1) -> Any:
    return floor + 2.0 * np.exp(-rate * np.arange(steps))


class Ready:
    at_once = 2

    """Arms that are made already: the control, the placebo, and the change."""

    def __init__(self, control: Made, treated: Made) -> None:
        self.control, self.treated, self.asked = control, treated, list[tuple[str, int]]()
        self.side_by_side = 0
        self.args = ()

    def run(self, arm: Arm, seed: int, length: Length) -> Made:
        self.asked.append((arm.label, length.steps))
        return self.control if arm.label in ("control", "placebo") else self.treated

    def all(self, wanted: Any) -> list[Made]:
        self.side_by_side += len(wanted)
        return [self.run(*each) for each in wanted]


def tried(intervention: str, cause: str, dose: Dose, control: Made, treated: Made, fine: bool = False) -> Any:
    arms: Any = Ready(control, treated)
    assert control.run is not None
    controls = Controls(arms, Length(control.run.steps, 60.0), Signs({}, {}), {0: control})
    unit = all_interventions()[intervention]
    hypothesis = Hypothesis(cause, 0.9, "A suspicion", basis="suspected")
    return try_dose(controls, unit, hypothesis, dose, fine=fine, in_time=lambda: True), arms


def test_a_run_with_larger_batches_makes_fewer_steps() -> None:
    dose = Dose({}, "batch size 8 -> 32", steps=0.25)
    report, arms = tried("resize-batches", "batch-too-small", dose, run(falling(400, 0.001)), run(falling(100, 0.1)))
    assert ("batch size 8 -> 32", 100) in arms.asked and ("control", 400) in arms.asked
    assert report.verdict == "cured"
    assert report.effect.measure == "training loss at equal samples seen"
    assert report.steps == 100


def test_larger_batches_that_only_help_at_equal_steps_do_not_cure() -> None:
    """Each step is a little better, but there is only a quarter of them."""
    dose = Dose({}, "batch size 8 -> 32", steps=0.25)
    report, _ = tried("resize-batches", "batch-too-small", dose, run(falling(400, 0.02)), run(falling(100, 0.022)))
    assert report.verdict == "worse"


def test_smaller_batches_are_given_more_steps() -> None:
    controls = Controls(None, Length(20, 60.0), Signs({}, {}), {0: run(falling(20, 0.05))})  # type: ignore[arg-type]
    judged = _judged(controls, run(falling(640, 0.05)), 0, "loss", [], 32.0, seen=False)
    assert judged is not None
    assert (judged.control.steps, judged.treated.steps) == (20, 640)
    assert judged.difference.value > 1.0


@pytest.mark.parametrize(("seconds", "verdict"), [(0.02, "cured"), (0.098, "no-change"), (0.2, "worse")])
def test_loading_is_judged_by_the_time_of_a_step_and_runs_alone(seconds: float, verdict: str) -> None:
    losses = falling(200, 0.02)
    dose = Dose({}, "num_workers 0 -> 4")
    report, arms = tried("add-workers", "slow-data-loading", dose, run(losses, 0.1), run(losses, seconds), fine=True)
    assert report.verdict == verdict
    assert report.effect.measure == "seconds per step"
    assert (report.effect.control, report.effect.treated) == (pytest.approx(0.1), pytest.approx(seconds))
    assert arms.side_by_side == 0, "runs beside each other would slow each other down"


def test_a_faster_run_that_learns_worse_is_no_cure() -> None:
    dose = Dose({}, "num_workers 0 -> 4")
    slow, fast = run(falling(200, 0.02), 0.1), run(falling(200, 0.002), 0.02)
    report, _ = tried("add-workers", "slow-data-loading", dose, slow, fast, fine=True)
    assert report.verdict == "no-change"
    assert "training loss got worse" in report.note


def test_runs_that_have_fitted_their_data_are_told_apart_by_validation() -> None:
    """0.002 against 0.006 of a loss that began at 2 says nothing; the validation loss does."""
    control = run(falling(400, 0.1, floor=0.002), validation=2.0)
    treated = run(falling(400, 0.1, floor=0.006), validation=0.5)
    report, _ = tried("reinitialise", "init-too-large", Dose({}, "He's initialisation"), control, treated)
    assert report.verdict == "cured"
    assert (report.effect.measure, report.effect.treated) == ("validation loss", 0.5)


def test_each_seed_is_compared_with_its_own_control() -> None:
    """A symptom that the second seed's control does not show cannot be gone there."""
    raised = Signs({"saw-tooth": Sign("saw-tooth", 1.0, 1.0, "the loss is a saw")}, {})
    one, other = run(falling(100, 0.01)), run(falling(100, 0.01))
    controls = Controls(None, Length(100, 60.0), raised, {0: one, 1: other})  # type: ignore[arg-type]
    first = _judged(controls, run(falling(100, 0.1)), 0, "loss", ["saw-tooth"], 1.0, seen=False)
    second = _judged(controls, run(falling(100, 0.1)), 1, "loss", ["saw-tooth"], 1.0, seen=False)
    assert first is not None and second is not None
    assert first.shown and [change.sign for change in first.changes] == ["saw-tooth"]
    assert not second.shown and not second.changes
