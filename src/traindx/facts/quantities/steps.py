"""The size and direction of the steps, what the optimizer was told, and what flows through the layers."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

import numpy as np

from ...record import Run
from ...record.program import Group, Parameter
from ...signs import Signs
from ...signs.questions import FLOW, STEPS
from ..types import Quantity, Reading, by_optimizer, plain, view

LOOKS = 3


def kind_of(parameter: Parameter) -> str | None:
    """The kind of layer that a weight belongs to; None for biases, and for weights that do not train."""
    if parameter.kind == "bias" or parameter.trains is False or parameter.constant:
        return None
    if parameter.kind in ("norm", "embedding"):
        return parameter.kind
    module = parameter.module.removesuffix("Cell")
    if module.startswith(("Conv", "LazyConv")):
        return "conv"
    if module in ("RNN", "LSTM", "GRU"):
        return "recurrent"
    return "linear" if parameter.matrix else None


def _update_ratios(run: Run, _signs: Signs) -> Iterable[Reading]:
    """For each kind of layer the median ratio of its layers.

    One reading a kind, not one a layer: of three hundred layers some always lie beyond 99 %.
    """
    medians = layer_medians(run, "update_ratio")
    names = {p.name: kind for p in run.parameters if (kind := kind_of(p)) is not None}
    optimizer = by_optimizer(run)[0].rpartition("/")[2]
    for kind in dict.fromkeys(names.values()):
        layers = {name: medians[name] for name in names if names[name] == kind and medians.get(name, 0.0) > 0}
        if layers:
            middle = float(np.median(list(layers.values())))
            name = next(iter(layers))
            strata = (f"{view(run)}/{optimizer}/{kind}", f"{view(run)}/{kind}", view(run))
            yield Reading(middle, strata, f"{kind} layers" if len(layers) > 1 else name)


def layer_medians(run: Run, quantity: str) -> dict[str, float]:
    """Each layer's median over the looks; layers that were looked at less than `LOOKS` times are left out."""
    table = run.layers(quantity)
    if len(table) < LOOKS:
        return {}
    counts = np.isfinite(table.values).sum(axis=0)
    known = np.flatnonzero(counts >= LOOKS)
    values = np.nanmedian(np.where(np.isfinite(table.values[:, known]), table.values[:, known], np.nan), axis=0)
    return {table.layers[column]: float(value) for column, value in zip(known, values, strict=True)}


def _momentum(run: Run, _signs: Signs) -> Iterable[Reading]:
    yield from _averaged(run, lambda group: group.setting("momentum"), 0)


def _second(run: Run, _signs: Signs) -> Iterable[Reading]:
    yield from _averaged(run, lambda _group: None, 1)


def _averaged(run: Run, single: Callable[[Group], float | None], beta: int) -> Iterable[Reading]:
    """How many steps an exponential average with this factor reaches back."""
    for group in run.groups[:1]:
        betas = group.settings.get("betas")
        factor = betas[beta] if isinstance(betas, list) and len(betas) == 2 else single(group)
        if isinstance(factor, int | float) and 0 <= factor < 1:
            yield Reading(1 / (1 - factor), by_optimizer(run), str(group.site) if group.site else None)


def _eps(run: Run, _signs: Signs) -> Iterable[Reading]:
    for group in run.groups[:1]:
        if (eps := group.setting("eps")) is not None and eps > 0:
            yield Reading(eps, by_optimizer(run), str(group.site) if group.site else None)


FEWEST_LAYERS = 3


def _spread(run: Run, _signs: Signs) -> Iterable[Reading]:
    """Decades between the largest and the smallest gradient norm of the weight matrices."""
    medians = layer_medians(run, "grad_norm")
    norms = {p.name: medians[p.name] for p in run.parameters if p.matrix and p.trains and medians.get(p.name, 0.0) > 0}
    if len(norms) >= FEWEST_LAYERS:
        least = min(norms, key=lambda name: norms[name])
        yield Reading(math.log10(max(norms.values()) / norms[least]), plain(run), f"smallest in {least}")


QUANTITIES = (
    Quantity(
        "update-ratio",
        "Update/weight ratio, median",
        STEPS,
        _update_ratios,
        "times",
        True,
        0.2,
        kin=("update-ratio-high", "update-ratio-low"),
    ),
    Quantity(
        "momentum-length",
        "Steps that momentum averages over",
        STEPS,
        _momentum,
        "steps",
        True,
        0.2,
        kin=("optimizer-setting-odd",),
    ),
    Quantity(
        "second-moment-length",
        "Steps that the second moment averages over",
        STEPS,
        _second,
        "steps",
        True,
        0.2,
        kin=("optimizer-setting-odd",),
    ),
    Quantity("optimizer-eps", "The optimizer's eps", STEPS, _eps, "", True, 0.5, kin=("optimizer-setting-odd",)),
    Quantity(
        "gradient-norm-spread",
        "Gradient norms of layers, largest over smallest",
        FLOW,
        _spread,
        "decades",
        grain=0.2,
        kin=("gradients-vanish-with-depth", "gradients-explode-with-depth"),
    ),
)
