"""The word for a verdict, and what is known of a run besides: the same in every format."""

from __future__ import annotations

from typing import NamedTuple

from ..diagnosis import Diagnosis, TrialReport
from ..wording import counted


class State(NamedTuple):
    key: str  # cured, sick, suspected, healthy, inconclusive or out-of-scope
    word: str
    mark: str  # distinguishes verdicts without colour
    colour: str


STATES = {
    state.key: state
    for state in (
        State("cured", "Cured", "✓", "green"),
        State("sick", "Sick", "▲", "red"),
        State("suspected", "Suspected", "◆", "yellow"),
        State("healthy", "Healthy", "✓", "green"),
        State("inconclusive", "Unclear", "?", "yellow"),
        State("out-of-scope", "Out of scope", "→", "yellow"),
    )
}
ENDINGS = {
    "ok": "ended normally",
    "stopped": "stopped as asked",
    "running": "still running",
    "exception": "ended with an exception",
}


def judged(diagnosis: Diagnosis) -> State:
    """What the run is, whatever trials did with it."""
    return STATES["suspected" if diagnosis.suspected else diagnosis.verdict]


def state(diagnosis: Diagnosis) -> State:
    return judged(diagnosis) if cured_by(diagnosis) is None else STATES["cured"]


def cured_by(diagnosis: Diagnosis) -> TrialReport | None:
    """The trial that cured the run, where one did."""
    found = diagnosis.treatment
    if found is None or found.verdict != "cured":
        return None
    cured = [trial for trial in found.trials if trial.verdict == "cured" and found.cause in (None, trial.cause)]
    return cured[-1] if cured else None


def details(diagnosis: Diagnosis) -> list[str]:
    """The kind of run, its length, and how it ended if that is known."""
    known = [diagnosis.kind, counted(diagnosis.steps, diagnosis.step_unit)]
    if diagnosis.exit == "killed":  # the last moments of training are not in the record
        known.append(f"was killed at about step {diagnosis.steps:,}")
    elif diagnosis.exit:
        known.append(ENDINGS.get(diagnosis.exit, f"ended with {diagnosis.exit}"))
    return known
