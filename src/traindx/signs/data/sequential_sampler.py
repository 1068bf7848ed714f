"""Whether the training data come in the same order each epoch.

Harmless where labels are mixed all the same or the whole set is one batch, so with labels seen to be mixed the level
is low; where the order of labels is not known it is near the border.
"""

from __future__ import annotations

from ...record import Run
from ...record.values import number
from .. import checks, questions
from .._base import Missing, Sign, place, ramp

ID = "sequential-sampler"
QUESTION = questions.DATA
SHOWS = "setting"
CHECK = checks.LABEL_ORDER


def measure(run: Run) -> Sign | Missing:
    known = [loader for loader in run.training_loaders if loader.shuffled is not None]
    if not known:
        return Missing(ID, "no training loader was seen")
    fixed = [loader for loader in known if not loader.shuffled and (loader.batches or 2.0) > 1]
    if not fixed:
        return Sign(ID, 0.0, 0.0, "the training loader shuffles, or all data are one batch")
    order = run.fact("label_order")
    seen, expected = number(order.get("mean_majority")), number(order.get("expected_majority"))
    mixed = seen is not None and expected is not None and expected < 0.9
    sorted_share = ramp((seen - expected) / (1 - expected), 0.3, 0.9) if mixed and seen and expected else 0.0
    level = 0.6 if not mixed else 0.2 + 0.8 * sorted_share
    loader = fixed[0]
    return Sign(
        ID,
        1.0,
        level,
        f"the training loader does not shuffle ({loader.sampler or 'no sampler'})"
        f"{place(loader.site)}" + (", but its batches mix the labels" if mixed and sorted_share < 0.5 else ""),
        values={"sampler": loader.sampler, "labels_mixed": mixed and sorted_share < 0.5},
    )
