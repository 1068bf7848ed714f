"""The share of evaluation forwards made in train mode, for models where the mode matters (dropout, batch norm).

Forwards without gradients also happen inside training (momentum encoders, generators, checkpointing), so without a
validation result or an evaluation loader the level stays low, unless they come in passes of many, now and then.
"""

from __future__ import annotations

from ...record import Run
from ...record.values import number
from ...wording import num
from .. import checks, questions
from .._base import Missing, Sign, if_raised, ramp
from .._modules import mode_matters
from ..curve import adversarial

ID = "eval-in-train-mode"
QUESTION = questions.MODES
SHOWS = "fault"
RIVAL = ("mode", 3.0)
CORE = True
CHECK = checks.EVALUATION_MODE
RARE, MANY = 10, 5  # backwards between two passes, and forwards in one


def measure(run: Run) -> Sign | Missing:
    modes = run.fact("modes")
    forwards, wrong = number(modes.get("eval_forwards")), number(modes.get("eval_forwards_in_train_mode"))
    if not forwards or forwards < 0 or wrong is None:
        if mode_matters(run) is False:
            return Missing(ID, "the model is the same in both modes")
        return Missing(ID, "no evaluation forwards were seen")
    share = min(max(wrong / forwards, 0.0), 1.0)
    level = 0.0 if mode_matters(run) is False else ramp(share, 0.05, 0.5)
    results = any(run.series(name) for name in ("loss/validation", "accuracy/validation"))
    if not results and not any(loader.get("role") == "eval" for loader in run.entries("loaders")):
        passes, backwards = number(modes.get("eval_passes")), number(run.facts.get("backwards"))
        rare = bool(passes and backwards and backwards >= RARE * passes and forwards >= MANY * passes)
        level = min(level, 0.75 if rare and not adversarial(run) else 0.3)
    dropping = number(modes.get("eval_forwards_dropping"))
    how = "applied dropout although the model was in eval mode" if dropping else "ran in train mode"
    return Sign(
        ID,
        share,
        level,
        (f"all {num(forwards)}" if wrong >= forwards else f"{num(wrong)} of the {num(forwards)}")
        + f" evaluation forwards checked {how}"
        if wrong
        else f"all {num(forwards)} evaluation forwards checked ran in eval mode",
        severity=if_raised(level, "critical"),
        values={"share": share},
    )
