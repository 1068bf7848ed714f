"""All deeper looks at one moment of a training, as facts (docs/record.md, `deep`)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import torch

from .along_step import loss_along_step
from .curvature import curvature
from .mode_gap import mode_gap
from .noise import noise_scale

LANCZOS = 16  # products: enough for the two ends of a spectrum that has outliers
NAMES = ("along_step", "mode_gap", "noise_scale", "curvature")
FLAT = 1e-5  # of the loss: below, the step did nothing that single precision could show
FAITHFUL = 0.01  # a replayed loss may differ from the step's by so much: half precision rounds more


@dataclass(frozen=True)
class Moment:
    """What the looks need: a copy of the model after a step, and ways to compute the step's loss on it."""

    twin: Any
    loss: Callable[[], Any]  # of the step, with its random numbers
    drawn: Callable[[], Any]  # the same with new random numbers
    value: float  # that the step had
    before: Sequence[Any] | None  # the weights that the step began with, in the order of `twin.parameters()`
    chunks: Sequence[Callable[[], Any]]  # losses of equally many samples each
    samples: int  # in a chunk
    batch: int
    rate: float | None  # of plain gradient descent


def looks(moment: Moment, names: Iterable[str] = NAMES) -> dict[str, Any]:
    """What was found by each look, and `why_not` for those that could not be made."""
    found: dict[str, Any] = {}
    why_not: dict[str, str] = {}
    # Memory-saving attention has no second derivative; the plain kind computes the same.
    with torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.MATH):
        for name in names:
            try:
                found[name] = _LOOKS[name](moment)
            except Exception as error:  # second derivatives that do not exist, losses that do not agree …
                why_not[name] = " ".join(str(error).split())[:160] or type(error).__name__
    return {**_strict(found), "why_not": why_not}


def _along(moment: Moment) -> dict[str, Any]:
    if moment.before is None:
        raise ValueError("the weights before the step are not known")
    curve = loss_along_step(moment.twin, moment.loss, moment.before)
    if not abs(curve.losses[0] - moment.value) <= FAITHFUL * max(abs(moment.value), 1e-8):
        raise ValueError(f"the replayed loss is {curve.losses[0]:.4g}, the step's was {moment.value:.4g}")
    flat = np.ptp(curve.losses) <= FLAT * abs(curve.losses[0])
    return {
        "positions": curve.positions.tolist(),
        "losses": curve.losses.tolist(),
        "minimum": math.nan if flat else curve.minimum,
        "flat": bool(flat),
        "falls_on": not flat and math.isinf(curve.minimum),
        "made_worse": curve.made_worse,
    }


def _modes(moment: Moment) -> dict[str, Any]:
    return asdict(mode_gap(moment.twin, moment.drawn))


def _noise(moment: Moment) -> dict[str, Any]:
    found = noise_scale(moment.twin, lambda chunk: chunk(), moment.chunks, moment.samples)
    return {**asdict(found), "batch": moment.batch}


def _curvature(moment: Moment) -> dict[str, Any]:
    found = curvature(moment.twin, moment.loss, LANCZOS)
    return {**asdict(found), "negative": found.negative, "rate": moment.rate}


_LOOKS: dict[str, Callable[[Moment], dict[str, Any]]] = {
    "along_step": _along,
    "mode_gap": _modes,
    "noise_scale": _noise,
    "curvature": _curvature,
}


def _strict(value: Any) -> Any:
    """JSON knows no infinity: None stands for it."""
    if isinstance(value, dict):
        return {key: _strict(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_strict(item) for item in value]
    if isinstance(value, (float, np.floating)):
        return float(value) if math.isfinite(value) else None
    return value
