"""Compares the learning rate that a trial proved with the suggestion of a range test."""

from __future__ import annotations

from ..probes.launch import ProbeError, Script, Start
from ..probes.rates import probe_rates
from ..wording import num

ALIKE = 10.0  # within this factor they agree: repeats of a range test differ by as much
SECONDS = 20.0


def beside_range_test(script: Script, start: Start, rate: float) -> str | None:
    """One sentence; None if the range test fails."""
    try:
        advice = probe_rates(script, repeats=1, seconds=SECONDS, start=start).advice
    except ProbeError:
        return None
    if advice.suggestion is None:
        return f"traindx lr suggests no learning rate here ({advice.why_not}); the trial proved {num(rate)}"
    suggested = num(advice.suggestion)
    if 1 / ALIKE <= advice.suggestion / rate <= ALIKE:
        return f"traindx lr agrees: it suggests {suggested}, within a factor of {ALIKE:g} of {num(rate)}"
    return (
        f"traindx lr suggests {suggested}, not {num(rate)}: it raises the learning rate at every step and sees only "
        "the first steps; the trial kept one learning rate throughout, so trust the trial"
    )
