"""The typical gradient norm, before clipping.

The classic band is 0.1 to 10, with more than 100 called exploding. The unit of the loss moves that band (a sum over
the batch, targets in raw units), so the level needs both: a norm above 100, and a large elasticity norm x weights /
loss, which has no unit: by what per cent the loss changes when the weights change by one per cent. Ordinary networks
show 1 to 50. A loss far above that of a guess is no measure; the guess's is taken then. A small norm is not held
against a run: every run that converges has one.
"""

from __future__ import annotations

from ...record import Run
from ...wording import num
from .. import questions
from .._base import Missing, Sign, if_raised, ramp
from .._chance import chance_level, has_other_terms
from .._params import fits_a_network
from .._tables import ordered, typical

ID = "gradient-norm-level"
QUESTION = questions.STEPS
SHOWS = "dynamics"
REMEDY = "Check the scale of inputs, targets and loss before you change the learning rate."


def measure(run: Run) -> Sign | Missing:
    name = "grad_norm" if run.series("grad_norm").finite else "clip/norm"
    norm = typical(run, name)
    if norm is None or not fits_a_network(run):
        return Missing(ID, "no gradient norm was recorded, or no network is trained")
    level = ramp(norm, 100.0, 1e4, log=True)
    weights, loss = typical(run, "weight_norm"), typical(run, "loss/train")
    elasticity = None
    if weights is not None and loss is not None and loss > 0:
        chance = chance_level(run)
        summed = any(call.reduction == "sum" for call in run.training_losses)
        if chance is not None and not summed and not has_other_terms(run):
            loss = min(loss, chance.loss)
        elasticity = norm * weights / loss
        level = min(level, ramp(elasticity, 100.0, 1e4, log=True))
    norms = ordered(run.series(name)).values
    where = "above" if norm > 10 else "below" if norm < 0.1 else "within"
    return Sign(
        ID,
        norm,
        level,
        f"the median gradient norm is {num(norm)} (range {num(norms.min())} to {num(norms.max())}), "
        f"{where} the usual 0.1 to 10",
        severity=if_raised(level, "warning"),
        values={"median": norm, "first": float(norms[0]), "last": float(norms[-1]), "elasticity": elasticity},
    )
