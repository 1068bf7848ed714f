"""How much of what there was to learn the training loss shows as learned: 1 at a third of chance, 0 near chance.

This sign speaks for a run, not against one: what has come so far cannot have a fault that stops all learning. A fall
that does not stand out from the noise (`_fall.py`) is no learning, whatever its size.
"""

from __future__ import annotations

from ...record import Run
from ...wording import num4
from .. import questions
from .._base import Missing, Sign, ramp
from .._chance import compared_loss
from .._fall import fall_of
from .._progress import progress
from ..curve import adversarial

ID = "training-learned"
QUESTION = questions.FALLS
SHOWS = "success"
END = "step"
CORE = True


def measure(run: Run) -> Sign | Missing:
    loss = compared_loss(run)
    fall = fall_of(loss)
    if len(loss) < 4 or fall is None:
        return Missing(ID, "fewer than four training losses were recorded")
    if adversarial(run):
        return Missing(ID, "the losses of adversarial networks do not fall")
    found = progress(run, loss, loss.last)
    if found is None:
        return Missing(ID, "neither chance nor a positive first loss is known")
    level = found.level * ramp(fall.z, 1.5, 3.0)
    text = f"Training loss ends at {num4(loss.last)} (smoothed); {found.text} (fall: z = {fall.z:.1f})."
    return Sign(ID, found.left, level, text, None, "info", {"last": loss.last, "left": found.left, "z": fall.z})
