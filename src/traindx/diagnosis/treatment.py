"""What controlled re-runs showed. `treatments/` fills these types in; renderers read them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

# cured: no symptom is left. proven: a fault that was seen is gone and the run is better for it, but a symptom is left.
TrialVerdict = Literal["cured", "proven", "helped", "no-change", "worse", "failed"]
TreatmentVerdict = Literal["cured", "proven", "helped", "no-proven-fix", "nothing-to-treat", "not-treatable"]


@dataclass(frozen=True)
class Effect:
    """How the outcome differs: `change` is relative to the control (-0.9: nine tenths lower), with its interval."""

    measure: str
    control: float
    treated: float
    change: float | None = None
    interval: tuple[float, float] | None = None


@dataclass(frozen=True)
class SymptomChange:
    """A sign that the hypothesis rests on, as the control and the treated run show it; None where it is missing."""

    sign: str
    control: float
    treated: float | None

    @property
    def gone(self) -> bool:
        return self.treated is None or self.treated < 0.5


@dataclass(frozen=True)
class TrialCurve:
    """The training loss of one arm, thinned; None where it was not finite."""

    label: Literal["control", "treated"]
    steps: Sequence[int]
    losses: Sequence[float | None]

    def as_object(self) -> dict[str, Any]:
        return {"label": self.label, "steps": list(self.steps), "losses": list(self.losses)}


@dataclass(frozen=True)
class TrialReport:
    """One intervention, tested against the control."""

    intervention: str
    title: str
    cause: str
    verdict: TrialVerdict
    seeds: int
    effect: Effect
    dose: str = ""
    symptoms: Sequence[SymptomChange] = ()
    seconds: float = 0.0
    note: str = ""
    experiment: bool = False  # it tells a cause that cannot be treated; `verdict` then is no-change
    curves: Sequence[TrialCurve] = ()  # control and treated, of the first seed
    steps: int = 0  # that the treated run was given: not the control's, where equal samples are compared

    @property
    def proves(self) -> bool:
        return self.verdict in ("cured", "proven")

    def as_object(self) -> dict[str, Any]:
        interval = None if self.effect.interval is None else list(self.effect.interval)
        return {
            "intervention": self.intervention,
            "title": self.title,
            "cause": self.cause,
            "dose": self.dose,
            "verdict": self.verdict,
            "seeds": self.seeds,
            "effect": {
                "measure": self.effect.measure,
                "control": self.effect.control,
                "treated": self.effect.treated,
                "change": self.effect.change,
                "interval": interval,
            },
            "symptoms": [
                {"sign": change.sign, "control": change.control, "treated": change.treated} for change in self.symptoms
            ],
            "seconds": self.seconds,
            "note": self.note,
            **({"curves": [curve.as_object() for curve in self.curves]} if self.curves else {}),
        }


@dataclass(frozen=True)
class Treatment:
    """What `traindx treat` found. `text` is one sentence; `rules_out` what the trials speak against."""

    verdict: TreatmentVerdict
    text: str
    trials: Sequence[TrialReport] = ()
    cause: str | None = None
    patch: str | None = None
    confirmed_by_patched_run: bool | None = None
    rules_out: Sequence[str] = ()
    notes: Sequence[str] = ()
    steps: int = 0
    seconds: float = 0.0
    control_runs: int = 0
    control_seconds: float = 0.0  # of the first control run

    @property
    def proves(self) -> bool:
        return self.verdict in ("cured", "proven")

    def as_object(self) -> dict[str, Any]:
        return {
            "verdict": self.verdict,
            "summary": self.text,
            "cause": self.cause,
            "patch": self.patch,
            "confirmed_by_patched_run": self.confirmed_by_patched_run,
            "trials": [trial.as_object() for trial in self.trials],
            "rules_out": list(self.rules_out),
            "notes": list(self.notes),
            "steps": self.steps,
            "seconds": self.seconds,
            "control_runs": self.control_runs,
            "control_seconds": self.control_seconds,
        }
