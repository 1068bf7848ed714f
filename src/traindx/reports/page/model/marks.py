"""Marks on the time axis: onsets of symptoms, and events."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ....diagnosis import Diagnosis
from ....record import Event, Run
from ....wording import num

MOST_EVENTS = 200
MOST_OF_A_KIND = 40
WORDS = {
    "nonfinite-loss": "Loss is not finite",
    "nonfinite-gradient": "Gradient is not finite",
    "nonfinite-origin": "Origin of the first NaN/Inf",
    "nonfinite-batch": "Batch holds NaN/Inf",
    "loss-jump": "Loss jumps",
    "step-skipped": "GradScaler skips the step",
    "clip-before-unscale": "Gradients clipped before unscale_()",
    "grads-kept": "Step uses gradients that were not cleared",
    "mode-changed": "Model trains in eval mode",
    "lr-changed": "Learning rate changes",
    "observer-off": "An observer switched itself off",
    "model-loaded": "Weights loaded",
}
CRITICAL = ("nonfinite-loss", "nonfinite-gradient", "nonfinite-batch")


def marks(run: Run, diagnosis: Diagnosis) -> list[dict[str, Any]]:
    """The onsets of raised signs, then the events by step."""
    found = [
        {"step": int(sign.onset), "kind": "onset", "severity": sign.severity, "text": sign.text, "sign": sign.id}
        for sign in diagnosis.symptoms
        if sign.onset is not None and sign.severity != "info"
    ]
    return found + _events(run)


def _events(run: Run) -> list[dict[str, Any]]:
    counts: dict[str, int] = {}
    found = []
    for event in run.events:
        if event.step is None or event.kind not in WORDS:
            continue
        counts[event.kind] = counts.get(event.kind, 0) + 1
        if counts[event.kind] <= MOST_OF_A_KIND:
            severity = "critical" if event.kind in CRITICAL else "info"
            found.append({"step": int(event.step), "kind": event.kind, "severity": severity, "text": _sentence(event)})
    return sorted(found, key=lambda mark: int(mark["step"]))[:MOST_EVENTS]  # type: ignore[call-overload]


def _sentence(event: Event) -> str:
    """The event in words, with its most important value."""
    data = event.data
    words = WORDS[event.kind]
    if event.kind in ("loss-jump", "lr-changed"):
        return f"{words} from {_number(data, 'from')} to {_number(data, 'to')}"
    for key in ("value", "param", "module", "op", "observer"):
        if data.get(key) not in (None, ""):
            return f"{words}: {data[key]}"
    return words


def _number(data: Mapping[str, Any], key: str) -> str:
    value = data.get(key)
    return num(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else str(value)
