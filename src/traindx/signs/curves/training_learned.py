"""How much of what there was to learn the training loss shows as learned: 1 at a third of chance, 0 near chance.

This sign speaks for a run, not against one: what has come so far cannot have a fault that stops all learning.
"""

from __future__ import annotations

from ...record import Run
from .. import questions
from .._base import Missing, Sign
from .._chance import compared_loss
from .._curve import adversarial
from .._progress import progress
from .._wording import number

ID = "training-learned"
QUESTION = questions.FALLS
SHOWS = "success"
CORE = True


def measure(run: Run) -> Sign | Missing:
    loss = compared_loss(run)
    if len(loss) < 5:
        return Missing(ID, "fewer than five training losses were recorded")
    if adversarial(run):
        return Missing(ID, "the losses of networks that train against each other do not fall")
    found = progress(run, loss, loss.last)
    if found is None:
        return Missing(ID, "neither chance nor a positive first loss is known")
    text = f"The training loss ends at {number(loss.last)}; {found.text}."
    return Sign(ID, found.left, found.level, text, None, "info", {"last": loss.last, "left": found.left})
