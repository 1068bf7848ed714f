"""SGD without momentum: a fact about the setting, 1 or 0. Healthy by itself, slow in ravines."""

from __future__ import annotations

from ...record import Run
from .. import questions
from .._base import Missing, Sign, place

ID = "plain-sgd"
QUESTION = questions.STEPS
SHOWS = "setting"


def measure(run: Run) -> Sign | Missing:
    known = run.groups
    if not known:
        return Missing(ID, "no optimizer was seen")
    plain = [group for group in known if group.optimizer == "SGD" and not group.setting("momentum")]
    level = 1.0 if len(plain) == len(known) else 0.0
    name = known[0].optimizer
    text = f"{name} runs without momentum{place(plain[0].site)}" if level else f"{name} uses momentum or adaptive steps"
    return Sign(ID, level, level, text)
