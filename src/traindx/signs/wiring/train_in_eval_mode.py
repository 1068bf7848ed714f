"""The share of training forwards made in eval mode, for models where the mode matters (dropout, batch norm)."""

from __future__ import annotations

from ...record import Run
from ...record.values import number
from ...wording import num, percent
from .. import checks, questions
from .._base import Missing, Sign, if_raised, place, ramp
from .._modules import mode_matters

ID = "train-in-eval-mode"
QUESTION = questions.MODES
SHOWS = "fault"
RIVAL = ("mode", 3.0)
CORE = True
CHECK = checks.TRAINING_MODE


def measure(run: Run) -> Sign | Missing:
    modes = run.fact("modes")
    forwards, wrong = number(modes.get("train_forwards")), number(modes.get("train_forwards_in_eval_mode"))
    if not forwards or forwards < 0 or wrong is None:
        if mode_matters(run) is False:
            return Missing(ID, "the model is the same in both modes")
        return Missing(ID, "modes of training forwards were not recorded")
    share = min(max(wrong / forwards, 0.0), 1.0)
    level = 0.0 if mode_matters(run) is False else ramp(share, 0.02, 0.3)
    first = number(modes.get("first_eval_mode_step"))
    event = next(iter(run.events_of("mode-changed")), None)
    return Sign(
        ID,
        share,
        level,
        f"{num(wrong)} of the {num(forwards)} training forwards checked ({percent(share)}) ran in eval mode"
        + (f", from step {first:g} on" if first is not None and wrong else "")
        + (place(event.data.get("site")) if event else "")
        if wrong
        else f"all {num(forwards)} training forwards checked ran in train mode",
        onset=int(first) if first is not None and level >= 0.5 else None,
        severity=if_raised(level, "critical"),
        values={"share": share, "first_step": first},
    )
