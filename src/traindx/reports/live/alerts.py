"""Decides which findings of a run in progress are worth an alert. Each alert is raised once."""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass, field
from pathlib import PurePath
from typing import Any

from ...diagnosis import Diagnosis
from ...record import Run

TWICE = 2  # a cause must lead in this many diagnoses in a row, because early verdicts change
QUIET_ENDS = ("ok", "stopped", "exit 0", None)


@dataclass(frozen=True)
class Alert:
    key: str
    severity: str
    title: str
    text: str
    step: int | None
    source: str
    time: float = field(default_factory=time.time)

    def as_object(self) -> dict[str, Any]:
        return asdict(self)


class AlertBook:
    """Remembers the alerts raised. A run that had ended before the first look raises none."""

    def __init__(self) -> None:
        self.told: list[Alert] = []
        self._sick: dict[str, int] = {}
        self._followed = False

    def new(self, run: Run, diagnosis: Diagnosis) -> list[Alert]:
        running = run.facts.get("exit") is None
        if not running and not self._followed:
            return []
        self._followed = True
        found = [*_broken(run), *self._verdict(run, diagnosis), *_ended(run)]
        known = {alert.key for alert in self.told}
        new = [alert for alert in found if alert.key not in known]
        self.told += new
        return new

    def _verdict(self, run: Run, diagnosis: Diagnosis) -> list[Alert]:
        """An alert for a sick run, once the same cause has led twice in a row, or at once if the run has ended."""
        if diagnosis.verdict != "sick" or not diagnosis.hypotheses:
            self._sick.clear()
            return []
        cause = diagnosis.leading.cause
        self._sick = {cause: self._sick.get(cause, 0) + 1}
        if self._sick[cause] < TWICE and run.facts.get("exit") is None:
            return []
        return [
            Alert(f"sick {cause}", "critical", "Sick", diagnosis.summary, diagnosis.onset, PurePath(run.source).name)
        ]


def _broken(run: Run) -> list[Alert]:
    events = run.events_of("nonfinite-loss")
    if not events:
        return []
    step = events[0].step
    where = "" if step is None else f" at step {step:,}"
    return [
        Alert(
            "nonfinite-loss", "critical", "NaN/Inf", f"The loss is not finite{where}.", step, PurePath(run.source).name
        )
    ]


def _ended(run: Run) -> list[Alert]:
    exit = run.facts.get("exit")
    if exit in QUIET_ENDS:
        return []
    error = run.fact("error")
    why = f" ({error.get('type')}: {error.get('message')})" if error.get("type") else ""
    words = {"exception": "The run ended with an exception", "killed": "The run was killed"}
    text = f"{words.get(str(exit), f'The run ended with {exit}')} after {run.steps:,} steps{why}."
    return [Alert("ended", "critical", "Ended", text, run.steps, PurePath(run.source).name)]
