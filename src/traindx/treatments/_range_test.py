"""Compares the learning rate that a trial proved with what a range test suggests: they must agree, or say why not."""

from __future__ import annotations

from ..probes.launch import ProbeError, Script
from ..probes.rates import probe_rates
from ..wording import num

ALIKE = 10.0  # a factor: repeats and rules of one range test scatter as far
SECONDS = 20.0


def beside_range_test(script: Script, rate: float) -> str | None:
    """One sentence; None where the range test could not be made."""
    try:
        advice = probe_rates(script, repeats=1, seconds=SECONDS).advice
    except ProbeError:
        return None
    if advice.suggestion is None:
        return f"traindx lr can't tell a learning rate here ({advice.why_not}); the trial's {num(rate)} is proven"
    suggested = num(advice.suggestion)
    if 1 / ALIKE <= advice.suggestion / rate <= ALIKE:
        return f"traindx lr agrees: it suggests {suggested}, within a factor of {ALIKE:g} of {num(rate)}"
    return (
        f"traindx lr suggests {suggested}, not {num(rate)}: it raises the learning rate from step to step and sees "
        "only the first steps; the trial kept one learning rate for its whole length, so it counts more"
    )
