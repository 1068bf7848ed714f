"""Trainable parameters that get a gradient and belong to no optimizer, as a share of those that get one.

Loaded ones are left out: training only a new head on a pretrained network, without freezing it, is common and healthy.
So are those that moved (updated by hand), those that share storage with one the optimizer holds, and tensors outside
any module that no product uses as a factor: points at which a physics loss is taken, pixels, latent codes.
"""

from __future__ import annotations

from ...record import Run
from ...record.parameters import Parameter
from ...wording import listed, percent
from .. import checks, questions
from .._base import Missing, Sign, if_raised, place, ramp
from .._params import share_of

ID = "params-outside-optimizer"
QUESTION = questions.PARAMETERS
SHOWS = "fault"
RIVAL = ("update", 2.0)
CHECK = checks.WEIGHTS_MOVE


def measure(run: Run) -> Sign | Missing:
    optimizers = run.entries("optimizers")
    # What has a gradient was used, also where no module was seen to run: weights kept in plain lists or by hand.
    known = [p for p in run.parameters if p.trains and p.grad == "yes" and not p.loaded and not _input_like(p)]
    if not optimizers or not known:
        return Missing(ID, "no optimizer, or no parameter with a gradient, was seen")
    held = {name for p in run.parameters if p.optimizer is not None for name in (p.name, *p.shared)}
    outside = [p for p in known if p.name not in held and p.moved is not True]
    share = share_of(outside, known)
    # Any layer matters, but a lone scalar among many tensors may be left out on purpose.
    level = ramp(share, 0.0, 0.1)
    names = [p.name for p in outside]
    return Sign(
        ID,
        share,
        level,
        f"{len(names)} of {len(known)} trainable tensors get a gradient and are in no optimizer: {listed(names)} "
        f"({percent(share)} of the elements){place(optimizers[0].get('site'))}"
        if names
        else f"all {len(known)} trainable tensors with a gradient are in an optimizer",
        onset=0 if level >= 0.5 else None,
        severity=if_raised(level, "critical"),
        values={"parameters": names[:20], "share": share},
    )


def _input_like(parameter: Parameter) -> bool:
    return not parameter.module and parameter.kind == "other" and parameter.optimizer is None
