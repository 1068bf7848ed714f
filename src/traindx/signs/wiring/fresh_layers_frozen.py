"""Frozen weights (requires_grad=False) that were never trained before, as a share of all weights that run.

Not counted: loaded weights, and those that had a gradient earlier in the run; weights with the heavy tails that
training leaves (a pretrained model need not come through load_state_dict); weights that change anyway (averaged
copies); models that are frozen as a whole and not in the optimizer, beside one that trains (teachers, perceptual
losses); small fixed filters and constants; a tensor of a module made of layers, frozen while the layers are not (a
table of positions or random features kept as a parameter).
"""

from __future__ import annotations

import numpy as np

from ...record import Run
from ...record.parameters import Parameter
from ...record.values import text
from ...wording import listed, percent
from .. import checks, questions
from .._base import Missing, Sign, if_raised, ramp
from .._params import share_of

ID = "fresh-layers-frozen"
QUESTION = questions.PARAMETERS
SHOWS = "fault"
CHECK = checks.WEIGHTS_MOVE
# Uniform weights have a kurtosis of 1.8 and normal ones of 3; trained ones are above 4 as a rule.
TRAINED_KURTOSIS = 3.7
# Smaller tensors are fixed filters (blur, Sobel), not layers.
SMALLEST = 64


def _drifts(run: Run, name: str) -> bool:
    """Whether the weight's size changes from look to look: averaged copies are moved by hand, between steps."""
    table = run.layers("weight_norm")
    if name not in table.layers:
        return False
    norms = table.column(name)
    norms = norms[np.isfinite(norms)]
    return len(norms) > 2 and bool(np.ptp(norms) > 1e-5 * np.max(norms))  # float32 rounds at 1e-7


def _fresh(p: Parameter) -> bool:
    trained = p.init_kurtosis is not None and p.init_kurtosis > TRAINED_KURTOSIS and p.elements >= 500
    trained = trained or p.loaded or p.grad == "yes"
    return not trained and not p.constant and p.elements >= SMALLEST and p.moved is not True


def _beside_layers(run: Run, p: Parameter) -> bool:
    """Whether it is a tensor of its own in a module that has other modules."""
    owner = p.name.rpartition(".")[0]
    roots = {text(model.get("name")) for model in run.entries("models")}
    others = {module.name.rstrip(".") for module in run.modules} - roots - {"", owner}
    return any(name.startswith(f"{owner}." if owner else "") for name in others)


def _root(name: str, roots: list[str]) -> str:
    """The model a parameter belongs to, where several models were seen and names are prefixed by them."""
    owners = [root for root in roots if root and name.startswith(root + ".")]
    return max(owners, key=len, default="")


def measure(run: Run) -> Sign | Missing:
    known = [p for p in run.parameters if p.matrix and p.ran and p.trains is not None]
    if not known:
        return Missing(ID, "no weight that ran was seen")
    roots = [text(model.get("name")) for model in run.entries("models")]
    training = {_root(p.name, roots) for p in known if p.trains}
    # A model that is frozen as a whole was meant to learn if the optimizer was given its weights.
    meant = [p for p in known if p.optimizer is not None or _root(p.name, roots) in training]
    frozen = [p for p in meant if p.trains is False and _fresh(p) and not _drifts(run, p.name)]
    if all(_beside_layers(run, p) for p in frozen):
        frozen = []
    share = share_of(frozen, known)
    level = ramp(share, 0.0, 0.1)
    return Sign(
        ID,
        share,
        level,
        f"{len(frozen)} of {len(known)} weights {'is frozen but was' if len(frozen) == 1 else 'are frozen but were'} "
        f"never trained: {listed([p.name for p in frozen])} "
        f"({percent(share)} of the elements)"
        if frozen
        else f"none of {len(known)} weights is frozen without prior training",
        onset=0 if level >= 0.5 else None,
        severity=if_raised(level, "critical"),
        values={"parameters": [p.name for p in frozen][:20], "share": share},
    )
