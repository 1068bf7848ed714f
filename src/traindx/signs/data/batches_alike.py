"""Whether the targets within a batch are more alike than those of different batches, for targets that are quantities.

The means of shuffled batches of B samples vary by 1/B of the targets' variance. Data sorted by target, by day or by
place put similar samples into one batch, and then the means vary by far more.
"""

from __future__ import annotations

from ...record import Run
from ...record.losses import REGRESSION, LossCall
from ...record.values import mapping, number
from ...wording import percent
from .. import questions
from .._base import Missing, Sign, if_raised, ramp
from ..curve import adversarial

ID = "batches-alike"
QUESTION = questions.DATA
SHOWS = "condition"
FEWEST = 8


def _of_one_size(call: LossCall, rows: float) -> bool:
    """A loss that is called for several layers in turn gets targets of all sizes."""
    return call.target.shape is None or abs(call.target.shape[0] - rows) <= 0.05 * rows


def measure(run: Run) -> Sign | Missing:
    groups = mapping(run.fact("targets/train").get("groups"))
    batches, rows, between, within = (number(groups.get(key)) for key in ("batches", "rows", "between", "within"))
    if batches is None or rows is None or between is None or within is None or batches < FEWEST or rows < 2:
        return Missing(ID, "the targets of too few batches were looked at")
    calls = [call for call in run.training_losses if call.kind in (*REGRESSION, "bce")]
    total = between + within
    if total <= 0.0 or len(run.training_losses) != 1 or not calls or not _of_one_size(calls[0], rows):
        return Missing(ID, "the targets do not vary, or are not those of one loss for one batch")
    if adversarial(run):
        return Missing(ID, "the targets of a discriminator are the same throughout a batch: real or generated")
    if (number(calls[0].target.facts.get("after_forwards")) or 0.0) > 0.5 * calls[0].calls:
        return Missing(ID, "models ran more than once before the loss: the targets may be a model's, and move with it")
    share = between / total
    excess = between * (rows - 1) / within if within > 0 else rows
    level = ramp(excess, 4.0, 12.0, log=True) * ramp(share, 0.15, 0.5)
    return Sign(
        ID,
        excess,
        level,
        f"{percent(share)} of the targets' variance lies between batches ({percent(min(1.0, 1 / rows))} expected with "
        "shuffling)",
        onset=0 if level >= 0.5 else None,
        severity=if_raised(level, "warning"),
        values={"excess": excess, "share": share},
    )
