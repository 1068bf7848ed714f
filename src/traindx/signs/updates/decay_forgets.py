"""How fast weight decay shrinks the weights: in how many updates it alone would shrink them by a factor of e, to 37 %.

A step subtracts lr x decay of every weight (with SGD momentum m: that over 1 - m), so what was learned fades within
1 / (lr x decay) updates. A run has to remember about one pass over its data, and usual settings remember thousands of
updates: SGD at 0.1 with momentum and 5e-4 remembers 2,000, AdamW at 1e-3 with 0.01 remembers 100,000. The
`weight_decay` of Adam (not AdamW) is rescaled by the gradient's size, so this does not apply to it.
"""

from __future__ import annotations

from ...record import Run
from ...record.optimizers import Group
from ...wording import num
from .. import questions
from .._base import Missing, Sign, if_raised, place, ramp
from .._loaders import updates_per_epoch
from .._rate import learning_rate

ID = "decay-forgets"
QUESTION = questions.STEPS
SHOWS = "condition"
LONG = 200.0  # updates: a memory of that many is no obstacle, however long an epoch is


def _pull(group: Group, rate: float) -> float:
    """The share of a weight that decay takes off at each update."""
    name = group.optimizer.lower()
    decoupled = "adamw" in name or group.settings.get("decoupled_weight_decay") is True
    if not decoupled and name != "sgd":
        return 0.0
    momentum = 0.0 if decoupled else group.setting("momentum") or 0.0
    return rate * (group.setting("weight_decay") or 0.0) / max(1.0 - momentum, 1e-3)


def measure(run: Run) -> Sign | Missing:
    known, rate = run.groups, learning_rate(run)
    if not known or rate is None:
        return Missing(ID, "the optimizer or its learning rate is not known")
    usual = float(rate.curve.values.mean())
    group = max(known, key=lambda found: _pull(found, usual))
    pull = _pull(group, usual)
    if pull <= 0.0:
        return Sign(ID, 0.0, 0.0, "no weight decay shrinks the weights directly")
    memory = 1.0 / pull
    epoch = updates_per_epoch(run)
    # Where no epoch is known, a fiftieth of the run stands for it.
    level = ramp(memory / (epoch or max(run.steps / 50, 1.0)), 2.0, 0.3, log=True) * ramp(memory, LONG, 50.0, log=True)
    return Sign(
        ID,
        memory,
        level,
        f"weight_decay={num(group.setting('weight_decay') or 0.0)} at learning rate {num(usual)} alone shrinks weights "
        f"to 37 % in {num(memory)} updates" + (f" (an epoch has {num(epoch)})" if epoch else "") + place(group.site),
        onset=0 if level >= 0.5 else None,
        severity=if_raised(level, "warning"),
        values={"updates": memory, "epoch": epoch},
    )
