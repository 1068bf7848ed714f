"""Gradients of k batches summed for one update without dividing by k: how many times too large the sum is.

k is how often one line calls backward for each step; several lines are several losses, not accumulation. Divided is
seen in what backward got over what the loss function returned, or in the graph. Where two optimizers alternate, the
count per step is not theirs and the level stays low. Accumulation has a fixed k: where the count differs from update to
update, a loop goes over the parts of one sample (an episode, a sentence, a bag), whose losses are meant to add up.
"""

from __future__ import annotations

import numpy as np

from ...record import Run
from ...record.values import number
from ...wording import num
from .. import checks, questions
from .._base import Missing, Sign, if_raised, place, ramp

ID = "accumulation-unscaled"
QUESTION = questions.PARAMETERS
SHOWS = "fault"
RIVAL = ("update", 3.0)
CHECK = checks.GRADIENTS_CLEARED
COUNTS = 2  # numbers of passes that accumulation has: k, and one more where the end of an epoch cuts a group short
FIXED = 0.8  # share of the updates that have one of these


def measure(run: Run) -> Sign | Missing:
    sites = [site for site in run.entries("backward_sites") if number(site.get("per_step")) is not None]
    if not sites or run.steps < 2:
        return Missing(ID, "backward passes were not counted by step")
    if any(optimizer.get("closure") is True for optimizer in run.entries("optimizers")):
        return Missing(ID, "an optimizer that calls a closure decides itself how often backward runs")
    often = run.backwards_per_step
    site = max(sites, key=lambda entry: number(entry.get("per_step")) or 0.0).get("site")
    # A last, shorter group of batches and a stray backward leave the mean a little above 1.
    if often < 1.5:
        return Sign(ID, 1.0, 0.0, "each update uses one backward pass")
    if not _fixed_count(run):
        return Missing(ID, f"the number of backward passes differs between updates ({num(often)} on average)")
    calls = [call for call in run.training_losses if call.value_ratio is not None]
    ratios = [abs(call.value_ratio) for call in calls if call.value_ratio is not None]
    divisor = number(run.fact("graph").get("divided_by"))
    scale = max(ratios) if ratios else 1.0 / abs(divisor) if divisor else 1.0
    excess = often * scale
    level = ramp(excess, 1.2, 4.0, log=True)
    if len(run.entries("optimizers")) > 1:
        level = min(level, 0.3)
    if not ratios and not divisor:
        level *= 0.7  # a loss of one's own may be scaled where it cannot be seen
    return Sign(
        ID,
        excess,
        level,
        f"each update sums {num(often)} backward passes with the loss scaled by {num(scale)}: the update uses "
        f"{num(excess)} times the mean gradient (1 is expected){place(site)}",
        onset=0 if level >= 0.5 else None,
        severity=if_raised(level, "critical"),
        values={"per_step": often, "scale": scale},
    )


def _fixed_count(run: Run) -> bool:
    """Whether most updates sum as many backward passes as most others: each leaves one loss at its step."""
    _, passes = np.unique(run.series("loss/train").steps, return_counts=True)
    if not len(passes):
        return True
    _, updates = np.unique(passes, return_counts=True)
    return bool(np.sort(updates)[-COUNTS:].sum() >= FIXED * len(passes))
