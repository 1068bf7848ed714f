"""The share of zeros among the outputs of ReLU-like layers, late in the run.

A ReLU gives half by construction; 90 % is sparse. This is information only: zeros that change with the sample are how
ReLUs work.
"""

from __future__ import annotations

from ...record import Run
from ...wording import percent
from .. import questions
from .._base import Missing, Sign, ramp
from .._modules import RELU_LIKE
from .._tables import layer_medians, median

ID = "sparse-activations"
QUESTION = questions.FLOW
SHOWS = "dynamics"
END = "deep"


def measure(run: Run) -> Sign | Missing:
    rectifiers = {module.name for module in run.modules if module.type in RELU_LIKE}
    rectifiers |= set(run.layers("act_dead").layers)
    shares = {n: s for n, s in layer_medians(run.layers("act_zero"), 0.75).items() if n in rectifiers}
    middle = median(shares.values())
    if middle is None:
        return Missing(ID, "no outputs of ReLU-like layers were looked at")
    worst = max(shares, key=lambda name: shares[name])
    return Sign(
        ID,
        middle,
        ramp(middle, 0.7, 0.97),
        f"{percent(middle)} of the ReLU outputs are zero late in the run (about 50 % is typical), most in `{worst}` "
        f"({percent(shares[worst])})",
        values={"median": middle, "worst": shares[worst], "layer": worst},
    )
