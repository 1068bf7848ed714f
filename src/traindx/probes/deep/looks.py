"""Takes all deeper looks at one moment of a training and returns them as facts (docs/record.md, `deep`)."""

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

LANCZOS = 16  # Hessian-vector products: enough for both ends of a spectrum with outliers
NAMES = ("along_step", "mode_gap", "noise_scale", "curvature")
FLAT = 1e-5  # share of the loss: smaller changes along the step are rounding in single precision
FAITHFUL = 0.01  # share by which a replayed loss may differ from the step's, because half precision rounds


@dataclass(frozen=True)
class Moment:
    """What the looks need: a copy of the model after a step, and functions that compute the step's loss on it."""

    twin: Any  # the copy
    loss: Callable[[], Any]  # the step's loss, with the step's random numbers
    drawn: Callable[[], Any]  # the same with new random numbers
    value: float  # the step's loss as the script computed it
    before: Sequence[Any] | None  # the weights before the step, in the order of `twin.parameters()`
    chunks: Sequence[Callable[[], Any]]  # losses of equally large groups of samples
    samples: int  # in each chunk
    batch: int  # samples in the step's batch
    rate: float | None  # the learning rate, for plain SGD only


def looks(moment: Moment, names: Iterable[str] = NAMES) -> dict[str, Any]:
    """The result of each look, and in `why_not` the reasons for those that failed."""
    found: dict[str, Any] = {}
    why_not: dict[str, str] = {}
    # Fused attention kernels have no second derivative; the plain kernel computes the same values.
    with torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.MATH):
        for name in names:
            try:
                found[name] = _LOOKS[name](moment)
            except Exception as error:  # no second derivative, a replayed loss that differs …
                why_not[name] = " ".join(str(error).split())[:160] or type(error).__name__
    return {**_strict(found), "why_not": why_not}


def _along(moment: Moment) -> dict[str, Any]:
    if moment.before is None:
        raise ValueError("the weights before the step are unknown")
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
    """The value with NaN and Inf replaced by None, because JSON has neither."""
    if isinstance(value, dict):
        return {key: _strict(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_strict(item) for item in value]
    if isinstance(value, (float, np.floating)):
        return float(value) if math.isfinite(value) else None
    return value
