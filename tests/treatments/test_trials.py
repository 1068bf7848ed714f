"""Trials that must not be fooled: no effect, no action, no seeds, an outcome that only looks better."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any

import pytest
from loops import classifier

from traindx.diagnosis import diagnose
from traindx.probes.launch import Script
from traindx.record import Run
from traindx.signs import Signs, measure_all
from traindx.treatments import Dose, Intervening, Intervention, Options, _arms, treat
from traindx.treatments._arms import CONTROL, Arms, Length, Silent
from traindx.treatments._trials import Controls, try_dose
from traindx.treatments.caching import TrialCache

Write = Callable[..., Script]
SLOW = classifier(optimizer="SGD(model.parameters(), lr=3e-4)", epochs=6)


def intervention(monkeypatch: pytest.MonkeyPatch, driver: type[Intervening], judged_by: Any = "loss") -> Intervention:
    """A unit whose module exists only here."""
    module = ModuleType("traindx_test_unit")
    module.begin = lambda options: driver()  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, module.__name__, module)

    def doses(run: Run, signs: Signs, cause: str) -> Sequence[Dose]:
        return [Dose({}, "a test")]

    return Intervention("test", "Test", ("lr-too-low",), "safe", judged_by, doses, module.__name__)


def tried(patient: Script, unit: Intervention, **given: Any) -> Any:
    """One trial of a unit, against the suspicion that leads."""
    arms = Arms(patient, None, TrialCache(None), Silent(), 1)  # type: ignore[arg-type]
    length = Length(90, 60.0, evaluation=True)
    control = arms.run(CONTROL, 0, length)
    assert control.run is not None
    leading = next(h for h in diagnose(control.run).hypotheses if h.cause not in ("healthy", "unknown"))
    controls = Controls(arms, length, measure_all(control.run), {0: control})
    report = try_dose(controls, unit, leading, Dose({}, "a test"), **{"fine": False, "in_time": lambda: True} | given)
    return report, controls


class Idle(Intervening):
    """Counts as acting and changes nothing."""

    def before_step(self, optimizer: Any) -> None:
        self.acted += 1


class Absent(Intervening):
    """Never finds what it would change."""


class Crashing(Intervening):
    def before_step(self, optimizer: Any) -> None:
        self.acted += 1
        raise ValueError("no such thing")


class Cheating(Intervening):
    """Makes every target the class that the model says: the loss vanishes, and nothing is learnt."""

    def loss_inputs(self, name: str, args: Any, kwargs: Any) -> tuple[Any, Any]:
        self.acted += 1
        given, target, *rest = args
        return (given * 0 + 50.0 * (given * 0 + 1).cumsum(1).eq(1), target * 0, *rest), kwargs


def test_what_changes_nothing_is_no_change(script: Write, in_process: None, monkeypatch: pytest.MonkeyPatch) -> None:
    report, controls = tried(script(SLOW), intervention(monkeypatch, Idle))
    assert report.verdict == "no-change"
    assert controls.seeded
    control, treated = report.curves
    assert (control.label, treated.label) == ("control", "treated")
    assert len(control.steps) > 10
    assert (control.steps, control.losses) == (treated.steps, treated.losses)


def test_what_never_acts_has_failed(script: Write, in_process: None, monkeypatch: pytest.MonkeyPatch) -> None:
    report, _ = tried(script(SLOW), intervention(monkeypatch, Absent))
    assert (report.verdict, report.note) == ("failed", "the change never took effect")


def test_a_change_that_crashes_the_script_has_failed(
    script: Write, in_process: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    report, _ = tried(script(SLOW), intervention(monkeypatch, Crashing))
    assert report.verdict == "failed"
    assert "no such thing" in report.note


def test_a_loss_that_falls_because_the_task_is_broken_is_no_cure(
    script: Write, in_process: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    healthy = classifier(optimizer="Adam(model.parameters(), lr=1e-2)")
    report, _ = tried(script(healthy), intervention(monkeypatch, Cheating))
    assert report.effect.treated < 0.1 * report.effect.control
    assert report.verdict not in ("cured", "helped")


def test_a_script_that_ignores_seeds_is_noticed(
    script: Write, in_process: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = SLOW.replace("torch.manual_seed(0)", "import os; torch.manual_seed(int.from_bytes(os.urandom(4), 'big'))")
    report, controls = tried(script(text), intervention(monkeypatch, Idle))
    assert not controls.seeded
    assert report.verdict == "no-change"


def test_losses_that_are_nan_from_the_start_are_no_sign_of_ignored_seeds(
    script: Write, in_process: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = SLOW.replace("loss = criterion(", "loss = float('nan') * criterion(")
    report, controls = tried(script(text), intervention(monkeypatch, Idle))
    assert controls.seeded
    assert report.verdict == "no-change"


def test_an_interrupt_keeps_what_is_done(script: Write, in_process: None, monkeypatch: pytest.MonkeyPatch) -> None:
    real, made = _arms.Arms.run, []

    def run(self: Arms, arm: Any, seed: int, length: Length) -> Any:
        if len(made) == 3:
            raise KeyboardInterrupt
        made.append(arm)
        return real(self, arm, seed, length)

    monkeypatch.setattr(_arms.Arms, "run", run)
    found = treat(script(classifier(optimizer="Adam(model.parameters(), lr=2.0)")), Options())
    assert found.treatment is not None
    assert any("interrupted" in note for note in found.treatment.notes)
