"""Units that pass nothing on: dead, saturated or zero."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from ...record import Run
from ...wording import counted, percent
from .. import questions
from .._base import Measured, Scale, ramp, sign
from .._layers import RELU_LIKE, SQUASHING, output_module
from .._tables import layer_medians, median


@dataclass(frozen=True)
class HiddenShare:
    """`middle` is the median layer, `worst` the largest, in `layer`; each the median over a stretch of looks."""

    middle: float
    worst: float
    layer: str
    layers: int


def hidden_share(run: Run, quantity: str, begin: float, end: float = 1.0) -> HiddenShare | None:
    """The share of each squashing layer, without outputs: the sigmoid of a good classifier is at its limits."""
    found = layer_medians(run.layers(quantity), begin, end)
    last = output_module(run.modules, SQUASHING)
    at_output = {last.name} if last is not None else {_function_at_output(run, found)}
    # Each of several models has an output of its own.
    at_output |= {model.output for model in run.models if model.output}
    shares = {name: min(max(share, 0.0), 1.0) for name, share in found.items() if name not in at_output}
    middle = median(shares.values())
    if middle is None:
        return None
    layer = max(shares, key=lambda name: shares[name])
    return HiddenShare(middle, shares[layer], layer, len(shares))


def _function_at_output(run: Run, names: Iterable[str]) -> str | None:
    """The activation called as a function with no layer between it and the loss; calls are numbered as they ran."""
    kind = run.graph.last_activation
    calls = [name for name in names if kind and name.startswith(f"{kind}#")]
    return max(calls, key=lambda name: int(name.rpartition("#")[2]), default=None)


FEWEST_LOOKS = 5


@sign(
    "dead-units",
    questions.FLOW,
    "condition",
    severity="critical",
    core=True,
    remedy="Lower the learning rate, use LeakyReLU or GELU, check biases and input scale.",
)
def dead_units(run: Run) -> Measured | str:
    """Units that were zero for every sample of all batches looked at: the share in the median and the worst layer.

    The share starts high and falls as batches are added, so it takes at least five measurements, and the last one
    counts. A tenth to a third of dead units is ordinary in wide networks; a layer that is entirely dead passes nothing
    on.
    """
    table = run.layers("act_dead")
    if len(table) < FEWEST_LOOKS:
        return f"ReLU-like layers were looked at fewer than {FEWEST_LOOKS} times"
    order = np.argsort(table.steps, kind="stable")
    steps, rows = table.steps[order], table.values[order]
    last = {
        name: float(rows[np.isfinite(rows[:, i]), i][-1]) for i, name in enumerate(table.layers) if _any(rows[:, i])
    }
    middle = median(last.values())
    if middle is None:
        return "no unit was followed"
    worst = max(last, key=lambda name: last[name])
    level = max(ramp(middle, 0.3, 0.8), ramp(last[worst], 0.6, 0.98))
    track = rows[:, table.layers.index(worst)]
    above = np.flatnonzero(track > 0.5)
    return Measured(
        middle,
        f"layer `{worst}`: {percent(last[worst])} of the units are dead (zero for every sample checked; median of "
        f"{counted(len(last), 'layer')} {percent(middle)}; below 50 % is common)",
        level,
        onset=int(steps[above[0]]) if len(above) else None,
        values={"median": middle, "worst": last[worst], "layer": worst},
    )


def _any(column: np.ndarray[tuple[int], np.dtype[np.float64]]) -> bool:
    return bool(np.isfinite(column).any())


@sign(
    "saturated-units",
    questions.FLOW,
    "dynamics",
    remedy="Scale inputs and initial weights down, or use ReLU-like activations.",
)
def saturated_units(run: Run) -> Measured | str:
    """Outputs of hidden sigmoid or tanh layers within 3 % of their limits, where the derivative is about zero.

    A tenth to a third is ordinary in a trained network. The median layer decides over the whole run, or one layer that
    is saturated nearly throughout.
    """
    found = hidden_share(run, "act_saturated", 0.0)
    if found is None:
        return "no hidden sigmoid or tanh layer was looked at"
    level = max(ramp(found.middle, 0.4, 0.8), ramp(found.worst, 0.7, 0.95))
    start = hidden_share(run, "act_saturated", 0.0, 0.1)
    from_start = start is not None and start.worst > 0.5
    return Measured(
        found.middle,
        f"{percent(found.worst)} of the outputs of layer `{found.layer}` are saturated (within 3 % of a limit; "
        f"median of {counted(found.layers, 'layer')} {percent(found.middle)})",
        level,
        onset=0 if from_start else None,
        values={"median": found.middle, "worst": found.worst, "layer": found.layer},
    )


@sign("preactivations-large", questions.FLOW, "dynamics", remedy="Scale inputs and initial weights down.")
def preactivations_large(run: Run) -> Measured | str:
    """Inputs of hidden sigmoid or tanh layers larger than 3 in magnitude, where these saturate.

    Standardised inputs exceed 3 in 0.3 % of cases; a third of them is beyond what trained healthy layers show.
    """
    found = hidden_share(run, "preact_large", 0.0)
    if found is None:
        return "no input of a hidden sigmoid or tanh layer was looked at"
    level = max(ramp(found.middle, 0.4, 0.8), ramp(found.worst, 0.7, 0.95))
    return Measured(
        found.middle,
        f"{percent(found.worst)} of the pre-activations of layer `{found.layer}` exceed 3 in magnitude "
        f"(median of {counted(found.layers, 'layer')} {percent(found.middle)})",
        level,
        values={"median": found.middle, "worst": found.worst, "layer": found.layer},
    )


@sign("sparse-activations", questions.FLOW, "dynamics", Scale(0.7, 0.97), severity="info", end="deep")
def sparse_activations(run: Run) -> Measured | str:
    """The share of zeros among the outputs of ReLU-like layers, late in the run.

    A ReLU gives half by construction; 90 % is sparse. This is information only: zeros that change with the sample are
    how ReLUs work.
    """
    rectifiers = {module.name for module in run.modules if module.type in RELU_LIKE}
    rectifiers |= set(run.layers("act_dead").layers)
    shares = {n: s for n, s in layer_medians(run.layers("act_zero"), 0.75).items() if n in rectifiers}
    middle = median(shares.values())
    if middle is None:
        return "no outputs of ReLU-like layers were looked at"
    worst = max(shares, key=lambda name: shares[name])
    return Measured(
        middle,
        f"{percent(middle)} of the ReLU outputs are zero late in the run (about 50 % is typical), most in `{worst}` "
        f"({percent(shares[worst])})",
        values={"median": middle, "worst": shares[worst], "layer": worst},
    )
