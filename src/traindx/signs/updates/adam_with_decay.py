"""Adam whose weight decay goes through the adaptive scaling: a fact about the setting, 1 or 0."""

from __future__ import annotations

from ...record import Run
from ...wording import num
from .. import questions
from .._base import Missing, Sign, place

ID = "adam-with-decay"
QUESTION = questions.STEPS
SHOWS = "condition"
COUPLED = ("Adam", "NAdam", "RAdam", "Adamax")


def measure(run: Run) -> Sign | Missing:
    known = run.groups
    if not known:
        return Missing(ID, "no optimizer was seen")
    coupled = [
        group
        for group in known
        if group.optimizer in COUPLED
        and (group.setting("weight_decay") or 0.0) > 0
        and group.settings.get("decoupled_weight_decay") is not True
    ]
    if not coupled:
        return Sign(ID, 0.0, 0.0, f"{known[0].optimizer} does not pass weight decay through an adaptive step")
    group = coupled[0]
    decay = group.setting("weight_decay") or 0.0
    return Sign(
        ID,
        decay,
        1.0,
        f"{group.optimizer} adds weight_decay={num(decay)} to the gradient and then rescales both (AdamW does not)"
        f"{place(group.site)}",
        values={"weight_decay": decay},
    )
