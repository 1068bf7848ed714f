"""Decides which findings of a run in progress are worth an alert, and delivers it: to a command or a URL.

Each alert is raised once. A hook that fails neither blocks nor breaks the server.
"""

from __future__ import annotations

import json
import os
import subprocess
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from http.client import HTTPException
from pathlib import PurePath
from typing import Any
from urllib.parse import urlsplit

from ...diagnosis import Diagnosis
from ...errors import PlainError
from ...record import Run

TWICE = 2  # a cause must lead in this many diagnoses in a row, because early verdicts change
QUIET_ENDS = ("ok", "stopped", "exit 0", "")
SECONDS = 30.0


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


Hook = Callable[[Alert], None]


class AlertBook:
    """Remembers the alerts raised. A run that had ended before the first look raises none."""

    def __init__(self) -> None:
        self.told: list[Alert] = []
        self._sick: dict[str, int] = {}
        self._followed = False

    def new(self, run: Run, diagnosis: Diagnosis) -> list[Alert]:
        running = not run.exit
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
        if self._sick[cause] < TWICE and not run.exit:
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
    exit = run.exit
    if exit in QUIET_ENDS:
        return []
    why = f" ({run.error.type}: {run.error.message})" if run.error.type else ""
    words = {"exception": "The run ended with an exception", "killed": "The run was killed"}
    text = f"{words.get(exit, f'The run ended with {exit}')} after {run.steps:,} steps{why}."
    return [Alert("ended", "critical", "Ended", text, run.steps, PurePath(run.source).name)]


class HookError(PlainError):
    """The target of --on-alert is invalid."""


def hook_of(target: str, complain: Callable[[str], None]) -> Hook:
    """A hook for a command line or an http(s) URL. Failures are reported to `complain` in one line."""
    if not target.strip():
        raise HookError("--on-alert needs a command or a URL")
    if target.split(":", 1)[0].lower() in ("http", "https"):
        if not _host(target):
            raise HookError(f"{target} is not a valid URL: it has no host")
        act: Hook = lambda alert: _send(target, alert)  # noqa: E731
    else:
        act = lambda alert: _run(target, alert)  # noqa: E731

    def later(alert: Alert) -> None:
        threading.Thread(target=_guarded, args=(act, alert, target, complain), daemon=True).start()

    return later


def _host(address: str) -> str | None:
    try:
        return urlsplit(address).hostname
    except ValueError:
        return None


def _guarded(act: Hook, alert: Alert, target: str, complain: Callable[[str], None]) -> None:
    try:
        act(alert)
    except (OSError, HTTPException, subprocess.SubprocessError, ValueError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        complain(f"traindx live: the alert was not delivered ({target.split()[0]}: {reason})")


def _run(command: str, alert: Alert) -> None:
    """Run the command in the shell, as the user typed it. The alert is passed as environment variables and on standard
    input, never as part of the command."""
    told = {
        "TRAINDX_TITLE": alert.title,
        "TRAINDX_TEXT": alert.text,
        "TRAINDX_SEVERITY": alert.severity,
        "TRAINDX_STEP": "" if alert.step is None else str(alert.step),
        "TRAINDX_SOURCE": alert.source,
    }
    done = subprocess.run(
        command,
        shell=True,
        input=json.dumps(alert.as_object()).encode(),
        env={**os.environ, **{name: value.replace("\0", " ") for name, value in told.items()}},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        timeout=SECONDS,
        check=False,
    )
    if done.returncode:
        raise ValueError(f"exit code {done.returncode}")


def _send(address: str, alert: Alert) -> None:
    """Post the alert as JSON. Slack and Mattermost show `text`, Discord shows `content`."""
    sentence = f"{alert.title}: {alert.text} ({alert.source})"
    body = {**alert.as_object(), "sentence": alert.text, "text": sentence, "content": sentence}
    request = urllib.request.Request(
        address, json.dumps(body).encode(), {"Content-Type": "application/json"}, method="POST"
    )
    with urllib.request.urlopen(request, timeout=SECONDS) as answer:
        answer.read(1024)
