"""The largest curvature times the learning rate, against 2: beyond it, plain gradient descent bounces along that
direction.

Healthy full-batch training hovers just below and a little above 2 (Cohen et al. 2021); three times that does not last.
Only plain gradient descent has its edge at 2 / rate.
"""

from __future__ import annotations

import numpy as np

from ...record import Run
from ...record.values import number
from ...wording import num
from .. import questions
from .._base import Missing, Sign, if_raised, ramp
from .._deep import looks_at

ID = "beyond-stability-edge"
QUESTION = questions.STEPS
SHOWS = "dynamics"


def measure(run: Run) -> Sign | Missing:
    products = []
    for _, found in looks_at(run, "curvature"):
        top, rate = number(found.get("top")), number(found.get("rate"))
        if top is not None and rate is not None:
            products.append((top, rate))
    if not products:
        return Missing(ID, "the curvature was not measured, or the optimizer is not plain gradient descent")
    typical = float(np.median([top * rate for top, rate in products]))
    top, rate = products[-1]
    return Sign(
        ID,
        typical,
        ramp(typical, 2.5, 6.0, log=True),
        f"the largest Hessian eigenvalue is {num(top)}; gradient descent at learning rate {num(rate)} is stable up to "
        f"{num(2 / rate)}" if rate > 0 else "the learning rate is zero",
        severity=if_raised(ramp(typical, 2.5, 6.0, log=True), "warning"),
        values={"top": top, "rate": rate},
    )  # fmt: skip
