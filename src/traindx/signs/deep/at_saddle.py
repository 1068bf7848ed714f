"""Whether a flat loss lies at a saddle: clearly negative curvature where the loss no longer falls.

Negative curvature alone is ordinary in any network; together with a plateau it says that there is a way down.
"""

from __future__ import annotations

from ...record import Run
from ...record.values import number
from ...wording import num
from .. import questions
from .._base import Missing, Sign, ramp
from .._deep import looks_at

ID = "at-saddle"
QUESTION = questions.FALLS
SHOWS = "dynamics"


def measure(run: Run) -> Sign | Missing:
    looks = looks_at(run, "curvature")
    if not looks:
        return Missing(ID, "the curvature was not measured")
    step, last = looks[-1]
    top, bottom = number(last.get("top")), number(last.get("bottom"))
    if top is None or bottom is None:
        return Missing(ID, "the curvature was not finite")
    share = max(0.0, -bottom) / max(abs(top), abs(bottom), 1e-300)
    level = ramp(share, 0.05, 0.5)
    shape = "a saddle point" if level >= 0.5 else "not a saddle point"
    words = f"Hessian eigenvalues at step {num(step)} run from {num(bottom)} to {num(top)}: {shape}"
    return Sign(ID, share, level, words, values={"top": top, "bottom": bottom})
