"""Adam's eps against the root of the second moment, in the first half of the looks.

Above 1, eps and not the gradient sets the step.
"""

from __future__ import annotations

from ...record import Run
from ...wording import num
from .. import questions
from .._base import Missing, Sign, if_raised, place, ramp
from .._tables import typical

ID = "eps-dominates"
QUESTION = questions.STEPS
SHOWS = "condition"


def measure(run: Run) -> Sign | Missing:
    ratio = typical(run, "eps_ratio", 0.0, 0.5)
    if ratio is None:
        return Missing(ID, "no adaptive optimizer's second moments were looked at")
    settings = [(group.setting("eps") or 0.0, group) for group in run.groups]
    eps, group = max(settings, key=lambda pair: pair[0], default=(0.0, None))
    level = ramp(ratio, 0.1, 10.0, log=True)
    return Sign(
        ID,
        ratio,
        level,
        f"the optimizer's eps{f' ({num(eps)})' if eps else ''} is {num(ratio)} times the typical sqrt(second moment) "
        "(well below 1 is normal)" + (place(group.site) if group is not None else ""),
        severity=if_raised(level, "warning"),
        values={"ratio": ratio, "eps": eps},
    )
