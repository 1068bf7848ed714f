"""Weight decay and penalties against the loss."""

from __future__ import annotations

import numpy as np

from ...record import Run
from ...record.program import Group
from ...wording import num, percent
from .. import questions
from .._base import Measured, Scale, place, ramp, sign
from .._chance import compared_loss, has_other_terms
from .._data import updates_per_epoch
from .._progress import progress
from .._rate import learning_rate
from .._tables import typical
from ..curve import training_loss


@sign("decay-dominates", questions.STEPS, "condition", Scale(0.4, 3.0, log=True), severity="critical", from_start=True)
def decay_dominates(run: Run) -> Measured | str:
    """Weight decay against the gradient of the loss (or the rest of the update), in the first third of the looks.

    Early on, the loss should steer: decay is a few hundredths of the gradient in ordinary runs. Later the two must
    meet, for at the minimum of loss plus decay they are equal, so the late ratio says nothing.
    """
    early = typical(run, "decay_ratio", 0.0, 1 / 3)
    if early is None:
        return "no weight decay was measured against the gradient"
    decaying = [group for group in run.groups if (group.setting("weight_decay") or 0.0) > 0]
    setting = f" (weight_decay={num(decaying[0].setting('weight_decay') or 0.0)})" if decaying else ""
    return Measured(
        early,
        f"the decay term{setting} is {num(early)} times the loss gradient early in the run (below 0.1 is typical)"
        + (place(decaying[0].site) if decaying else ""),
        values={"early": early, "whole": typical(run, "decay_ratio")},
    )


LONG = 200.0  # updates: a memory of that many is no obstacle, however long an epoch is


def _pull(group: Group, rate: float) -> float:
    """The share of a weight that decay takes off at each update."""
    name = group.optimizer.lower()
    decoupled = "adamw" in name or group.settings.get("decoupled_weight_decay") is True
    if not decoupled and name != "sgd":
        return 0.0
    momentum = 0.0 if decoupled else group.setting("momentum") or 0.0
    return rate * (group.setting("weight_decay") or 0.0) / max(1.0 - momentum, 1e-3)


@sign("decay-forgets", questions.STEPS, "condition", from_start=True)
def decay_forgets(run: Run) -> Measured | str:
    """How fast weight decay shrinks the weights: after how many updates it alone would leave 37 % of them (1/e).

    A step subtracts lr x decay of every weight (with SGD momentum m: that over 1 - m), so what was learned fades within
    1 / (lr x decay) updates. A run has to remember about one pass over its data, and usual settings remember thousands
    of updates: SGD at 0.1 with momentum and 5e-4 remembers 2,000, AdamW at 1e-3 with 0.01 remembers 100,000. The
    `weight_decay` of Adam (not AdamW) is rescaled by the gradient's size, so this does not apply to it.
    """
    known, rate = run.groups, learning_rate(run)
    if not known or rate is None:
        return "the optimizer or its learning rate is not known"
    usual = float(rate.curve.values.mean())
    group = max(known, key=lambda found: _pull(found, usual))
    pull = _pull(group, usual)
    if pull <= 0.0:
        return Measured(0.0, "no weight decay shrinks the weights directly")
    memory = 1.0 / pull
    epoch = updates_per_epoch(run)
    # Where no epoch is known, a fiftieth of the run stands for it.
    level = ramp(memory / (epoch or max(run.steps / 50, 1.0)), 2.0, 0.3, log=True) * ramp(memory, LONG, 50.0, log=True)
    return Measured(
        memory,
        f"weight_decay={num(group.setting('weight_decay') or 0.0)} at learning rate {num(usual)} alone shrinks weights "
        f"to 37 % in {num(memory)} updates" + (f" (an epoch has {num(epoch)})" if epoch else "") + place(group.site),
        level,
        values={"updates": memory, "epoch": epoch},
    )


@sign("penalty-dominates", questions.STEPS, "condition", from_start=True, end="light")
def penalty_dominates(run: Run) -> Measured | str:
    """How much of the loss, late in the run, is a penalty on the weights that the script adds by hand.

    A fifth of the loss is a strong penalty; at half of the loss, the weights follow the penalty as much as the data. If
    the loss itself is next to nothing (a tenth of chance), any penalty is a large share of it, without harm.
    """
    if not run.graphs:
        return "the graph behind the loss was not looked at"
    if not any(graph.penalised for graph in run.graphs):
        return Measured(0.0, "the loss has no penalty on the weights")
    total, function = training_loss(run), compared_loss(run)
    if not has_other_terms(run) or total.last <= 0:
        return "what the penalty adds to the loss was not measured"
    share = float(np.clip(1 - function.last / total.last, 0.0, 1.0))
    fitted = progress(run, function, function.last)
    level = ramp(share, 0.2, 0.5) * (ramp(fitted.left, 0.1, 0.4) if fitted is not None else 0.5)
    return Measured(
        share,
        f"{percent(share)} of the loss is a penalty on the weights late in the run",
        level,
        values={"share": share},
    )
