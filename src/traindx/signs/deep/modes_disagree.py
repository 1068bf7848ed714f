"""The loss of one training batch in evaluation mode against training mode, at the last look.

Dropout makes the training loss the higher one; running statistics that have not caught up, or that few samples made
useless, make the evaluation loss the higher one. Up to twice is ordinary early on.
"""

from __future__ import annotations

from ...record import Run
from ...record.values import number
from ...wording import num
from .. import checks, questions
from .._base import Missing, Sign, if_raised, ramp
from .._deep import looks_at

ID = "modes-disagree"
QUESTION = questions.MODES
SHOWS = "dynamics"
CHECK = checks.MODES_AGREE
SETTLED = 20  # steps after which running statistics have caught up


def measure(run: Run) -> Sign | Missing:
    looks = [(step, found) for step, found in looks_at(run, "mode_gap") if step >= SETTLED]
    if not looks:
        return Missing(ID, "the loss of one batch was not computed in both modes after the first steps")
    _, last = looks[-1]
    train, spread, evaluated = (number(last.get(key)) for key in ("train", "train_spread", "eval"))
    if train is None or evaluated is None or train <= 0 or evaluated <= 0:
        return Missing(ID, "the loss of one batch was not finite and positive in both modes")
    # Losses near zero may differ by large factors without any meaning.
    beyond = evaluated - train > 3 * (spread or 0.0) + 0.05
    ratio = evaluated / train
    level = ramp(ratio, 2.0, 5.0, log=True) if beyond else 0.0
    return Sign(
        ID,
        ratio,
        level,
        f"the loss of the same batch is {num(train)} in train mode and {num(evaluated)} in eval mode",
        severity=if_raised(level, "warning"),
        values={"train": train, "eval": evaluated},
    )
