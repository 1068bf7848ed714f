"""Takes all deeper looks at one moment of a training and returns them as facts (docs/record.md, `deep`)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np
import torch

from ...observe.tensors import streams_unchanged
from ...record.types import FloatArray
from ..unchanged import unchanged
from .curvature import curvature, noise_scale

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


def _noise(moment: Moment) -> dict[str, Any]:
    found = noise_scale(moment.twin, lambda chunk: chunk(), moment.chunks, moment.samples)
    return {**asdict(found), "batch": moment.batch}


def _curvature(moment: Moment) -> dict[str, Any]:
    found = curvature(moment.twin, moment.loss, LANCZOS)
    return {**asdict(found), "negative": found.negative, "rate": moment.rate}


_LOOKS: dict[str, Callable[[Moment], dict[str, Any]]] = {
    "along_step": _along,
    "mode_gap": lambda moment: asdict(mode_gap(moment.twin, moment.drawn)),
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


# ── the loss along the last step ──────────────────────────────────────────────────────────────────
#
# On a quadratic with curvature c, a step of gradient descent with learning rate lr has the minimum at 1 / (lr · c) of
# its length. Above 1 the step was too short, below 1 it went past the minimum, and below 1/2 (lr > 2 / c) the loss is
# higher after the step than before it.

POSITIONS = (0.0, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0)


@dataclass(frozen=True)
class StepCurve:
    """`minimum` is in lengths of the step: infinite if the loss falls all the way, NaN if it starts non-finite."""

    positions: FloatArray
    losses: FloatArray
    minimum: float

    @property
    def made_worse(self) -> bool:
        return bool(self.losses[list(self.positions).index(1.0)] > self.losses[0])


def loss_along_step(
    model: Any, loss: Callable[[], Any], before: Sequence[Any], positions: Sequence[float] = POSITIONS
) -> StepCurve:
    """`before` holds the parameters before the step, in the order of `model.parameters()`. The model holds those after
    the step."""
    parameters = list(model.parameters())
    if len(before) != len(parameters):
        raise ValueError(f"{len(before)} tensors given for {len(parameters)} parameters")
    where = sorted({0.0, 1.0, *positions})
    losses = []
    with unchanged(model), torch.no_grad():
        starts = [b.detach().clone() for b in before]
        steps = [p.detach() - b for p, b in zip(parameters, starts, strict=True)]
        for position in where:
            for parameter, start, step in zip(parameters, starts, steps, strict=True):
                parameter.copy_(start + position * step)
            with streams_unchanged():  # the same dropout mask at every position
                losses.append(float(loss()))
    return StepCurve(np.array(where), np.array(losses), _minimum(np.array(where), np.array(losses)))


def _minimum(where: FloatArray, losses: FloatArray) -> float:
    """The minimum of the parabola through the lowest point and its neighbours (at an end, the last three points)."""
    if not np.isfinite(losses[0]):
        return float("nan")
    finite = np.where(np.isfinite(losses), losses, np.inf)
    centre = int(np.clip(np.argmin(finite), 1, len(where) - 2))
    chosen = slice(centre - 1, centre + 2)
    if not np.isfinite(finite[chosen]).all():
        return float(where[int(np.argmin(finite))])
    bend, slope, _ = np.polyfit(where[chosen], finite[chosen], 2)
    scale = float(np.ptp(finite[chosen]))
    if bend <= 1e-9 * scale:  # straight or concave: the parabola has no minimum
        return float("inf") if slope < 0 or finite[-1] < finite[0] else 0.0
    return float(-slope / (2 * bend))


# ── train mode against eval mode ──────────────────────────────────────────────────────────────────
#
# The loss of one batch in train mode and in eval mode: the difference is due to dropout and batch statistics.

DRAWS = 8


@dataclass(frozen=True)
class ModeGap:
    """`train` is the mean over several dropout masks, `train_spread` their standard deviation."""

    train: float
    train_spread: float
    eval: float

    @property
    def ratio(self) -> float:
        return self.train / self.eval if self.eval else float("inf")


def mode_gap(model: Any, loss: Callable[[], Any], draws: int = DRAWS) -> ModeGap:
    with unchanged(model), torch.no_grad():
        model.eval()
        evaluated = float(loss())
    trained = []
    for draw in range(draws):
        with unchanged(model), torch.no_grad():  # running statistics must not change between draws
            torch.manual_seed(draw)
            model.train()
            trained.append(float(loss()))
    return ModeGap(float(np.mean(trained)), float(np.std(trained)), evaluated)


# ── a loss spike ──────────────────────────────────────────────────────────────────────────────────
#
# Replays the batch of a loss spike on earlier weights. If the batch stands out there too, the data cause the spike;
# if not, the step does.

STANDS_OUT = 5.0  # robust deviations above the median of the other batches


@dataclass(frozen=True)
class SpikeReplay:
    """Losses on the earlier weights, of the suspect batch and of ordinary ones, and the suspect's distance from them
    in robust deviations."""

    suspect: float
    others: tuple[float, ...]
    deviations: float
    verdict: Literal["data", "step"]


def replay_spike(
    model: Any, loss: Callable[[Any], Any], suspect: Any, others: Sequence[Any], earlier: Mapping[str, Any]
) -> SpikeReplay:
    """`earlier` is the model's state dict before the spike; `others` are ordinary batches."""
    if len(others) < 4:
        raise ValueError("at least four ordinary batches are needed to compare with")
    with unchanged(model), torch.no_grad():
        model.load_state_dict(earlier)

        def value(batch: Any) -> float:
            with streams_unchanged():
                return float(loss(batch))

        found, usual = value(suspect), np.array([value(batch) for batch in others])
    middle = float(np.median(usual))
    # Batches differ by at least 1 %: with a spread of zero, any batch would stand out.
    spread = max(1.4826 * float(np.median(np.abs(usual - middle))), 0.01 * abs(middle), 1e-12)
    deviations = (found - middle) / spread if np.isfinite(found) else float("inf")
    # The spread of a few batches is a rough estimate, so the batch must lie far beyond all of them too.
    far = found > 2 * float(usual.max()) - middle or not np.isfinite(found)
    verdict: Literal["data", "step"] = "data" if deviations > STANDS_OUT and far else "step"
    return SpikeReplay(found, tuple(usual.tolist()), float(deviations), verdict)
