"""Trials that must not be fooled: no effect, no action, no seeds, an outcome that only looks better."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from loops import classifier

from traindx.diagnosis import Hypothesis, SymptomChange, diagnose
from traindx.probes.launch import ProbeError, Script
from traindx.record import Run, RunBuilder
from traindx.record.experiments import Probe
from traindx.record.forms import read
from traindx.signs import Sign, Signs, measure_all
from traindx.treatments import Dose, Experiment, Intervening, Intervention, Options, _arms, _trials, treat, treating
from traindx.treatments._arms import CONTROL, Arms, Length, Made, Silent
from traindx.treatments._base import Told
from traindx.treatments._outcomes import compared, gone
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

    return Intervention("test", "Test", ("lr-too-low",), doses, module.__name__, judged_by=judged_by)


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


def test_without_a_symptom_nothing_is_cured_by_its_absence(
    script: Write, in_process: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_trials, "symptoms", lambda *_: [])
    report, _ = tried(script(SLOW), intervention(monkeypatch, Idle, "symptoms"))
    assert (report.verdict, report.note) == ("failed", "the control shows no symptom that could disappear")


def failed_after(steps: int) -> Made:
    builder = RunBuilder("train.py", "observed")
    builder.series("loss/train", np.arange(steps), 2.0 * 0.98 ** np.arange(steps))
    builder.fact("steps", steps)
    builder.fact("exit", "exception")
    return Made(builder.build(), read(Probe, {"acted": 1}), 1.0, "ValueError: broken")


def test_a_run_that_fails_later_is_no_better_than_one_that_fails_sooner() -> None:
    controls = Controls(None, Length(200, 60.0), Signs({}, {}), {0: failed_after(20)})  # type: ignore[arg-type]
    judged = _trials._judged(controls, failed_after(60), 0, "loss", [], 1.0, seen=False)
    assert judged is not None
    assert judged.difference.value == 0.0


def test_a_symptom_that_was_not_measured_is_gone_only_where_it_could_have_been() -> None:
    name = "dead-units"
    control = Signs({name: Sign(name, 1.0, 1.0, "all units are dead")}, {})
    for treated, reached, expected in (
        (Signs({}, {}), True, True),
        (Signs({}, {}), False, False),
        (Signs({}, {}, {name: "ValueError"}), True, False),
    ):
        (change,) = compared([name], control, treated, reached)
        assert isinstance(change, SymptomChange)
        assert change.gone is expected


@pytest.mark.parametrize(
    ("answers", "acted", "factor"), [(["for", "for"], 1, 10.0), (["for", "against"], 1, 1.0), (["for"], 0, 1.0)]
)
def test_an_experiment_proves_by_two_seeds_and_only_where_it_acted(
    answers: list[Any], acted: int, factor: float
) -> None:
    unit = Experiment(
        "test", "Test", ("noisy-labels",), lambda *_: [], lambda *_: Told(answers.pop(0), "said", 10.0), "none"
    )

    class Ready:
        def all(self, wanted: Sequence[Any]) -> list[Made]:
            return [Made(failed_after(9).run, read(Probe, {"acted": acted}), 1.0) for _ in wanted]

    arms: Any = Ready()
    controls = Controls(arms, Length(9, 60.0), Signs({}, {}), {0: failed_after(9)})
    hypothesis = Hypothesis("noisy-labels", 0.5, "Noisy labels")
    treatment = treating._Treating(Script("train.py"), arms, Options())
    treatment._experiment(treating.Candidate(hypothesis, unit, (Dose({}, "x"),)), unit, controls)
    assert treatment._told["noisy-labels"].factor == factor


def test_an_edit_between_two_arms_is_no_effect(script: Write, in_process: None) -> None:
    patient = script(SLOW)
    arms = Arms(patient, None, TrialCache(None), Silent(), 1)  # type: ignore[arg-type]
    arms.run(CONTROL, 0, Length(9, 60.0))
    script(SLOW.replace("3e-4", "3e-2"))
    with pytest.raises(ProbeError, match=r"train.py changed while the trials ran"):
        arms.run(CONTROL, 1, Length(9, 60.0))


def test_a_damaged_record_in_the_cache_is_made_again(script: Write, in_process: None, tmp_path: Path) -> None:
    arms = Arms(script(SLOW), None, TrialCache(tmp_path / "cache"), Silent(), 1)  # type: ignore[arg-type]
    assert not arms.run(CONTROL, 0, Length(9, 60.0)).cached
    assert arms.run(CONTROL, 0, Length(9, 60.0)).cached
    (kept,) = (tmp_path / "cache").glob("*.tdx")
    kept.write_bytes(b"not a record")
    assert not arms.run(CONTROL, 0, Length(9, 60.0)).cached


def test_an_interrupt_after_the_cure_keeps_it(script: Write, in_process: None, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(treating, "beside_range_test", interrupted)
    found = treat(script(classifier(optimizer="Adam(model.parameters(), lr=2.0)")), Options())
    assert found.treatment is not None
    assert (found.treatment.verdict, found.leading.basis) == ("cured", "proven")
    assert found.treatment.confirmed_by_patched_run, "the trial was a run of the patched script"


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


def test_a_plateau_far_below_the_old_one_is_the_floor_of_the_task() -> None:
    changes = [SymptomChange("loss-plateau", 1.0, 1.0)]
    assert gone(changes, gain=math.log(50)) and not gone(changes, gain=math.log(5))
    assert not gone([*changes, SymptomChange("loss-not-finite", 1.0, 1.0)], gain=math.log(50))


def test_an_edit_of_a_module_during_the_first_arm_is_no_effect(
    script: Write, in_process: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    patient = script(SLOW)
    module = Path(patient.path).with_name("a_module.py")
    module.write_text("rate = 1\n")

    def one_arm(self: Any) -> None:
        module.write_text("rate = 2\n")
        self._arms._same_sources(read(Probe, {"files": [str(module.resolve())]}))  # as after an arm that imported it

    monkeypatch.setattr(treating._Treating, "go", one_arm)
    with pytest.raises(ProbeError, match=r"a_module.py changed while the trials ran"):
        treat(patient, Options())
