"""Whether nothing at all holds memorising back: no dropout, no weight decay, no augmentation. 1 or 0.

Only a person knows of augmentation, so observers leave this out. Healthy by itself where there are many samples.
"""

from __future__ import annotations

from ...record import Run
from ...record.values import number
from .. import questions
from .._base import Missing, Sign

ID = "no-regularization"
QUESTION = questions.VALIDATION
SHOWS = "setting"


def measure(run: Run) -> Sign | Missing:
    known = run.fact("regularization")
    if not known:
        return Missing(ID, "what regularisation is in place is not known")
    parts = {
        "dropout": (number(known.get("dropout")) or 0.0) > 0,
        "weight decay": (number(known.get("weight_decay")) or 0.0) > 0,
        "augmentation": known.get("augmentation") is True,
    }
    used = [name for name, present in parts.items() if present]
    if used:
        return Sign(ID, float(len(used)), 0.0, f"the training uses {' and '.join(used)}")
    return Sign(ID, 0.0, 1.0, "the training uses no dropout, no weight decay and no augmentation")
