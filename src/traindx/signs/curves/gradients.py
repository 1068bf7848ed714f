"""The gradient norm over a run: gone, in bursts, or running away."""

from __future__ import annotations

import math

import numpy as np

from ...record import Run
from ...record.types import FloatArray
from ...wording import num4, times
from .. import questions
from .._base import Measured, Severity, Sign, ramp, sign
from .._excursions import gradient_excursions, loss_excursions
from .._excuses import networks_compete
from .._flat import flat_tail
from ..curve import Curve, gradient_norm, moment, spread_of_differences, training_loss
from .divergence import loss_diverged

VANISHED = 1e-4
SCALED_UP = 100.0  # a norm that was ever this much larger was there, and has run out as the loss arrived
OF_LOSS = 1e-6  # float32 rounds away updates of this size against weights of the loss's own scale
BURST = math.log(10)  # times the median before it
FOLLOWS = (3.0, math.log(1.1))  # spreads of the loss's own steps, and in ratios
GROWN = (math.log(10), math.log(100))  # orders of magnitude are what the definition asks for
BURST_AT_END = math.log(10)


@sign("gradients-zero", questions.FLOW, "outcome", doubt_from=0.8, end="step")
def gradients_zero(run: Run) -> Measured | str:
    """Whether the gradient norm is zero or has all but vanished while the loss is not at its minimum.

    Vanished: a ten-thousandth of its largest early value. A norm of exactly zero beside a loss that moves was not
    measured (some programs print 0.000 where they have none), and a norm that falls with a loss near its floor is
    as it should be; so is one that fell by degrees, as the loss did: it has arrived, the surer the more of the loss
    went with it. Without an early level to compare with, the loss is the measure: a norm below a millionth of a
    loss that makes no progress was never there.
    """

    norm, loss = gradient_norm(run), training_loss(run)
    if len(norm) < 3:
        return "fewer than three gradient norms were recorded"
    never = _never_there(norm.values, loss)
    if never is not None:
        return _absent(norm, loss, never)
    early = float(np.max(norm.values[: max(3, len(norm) // 10)]))
    gone = norm.values <= (VANISHED * early if early > 0 else 0.0)
    present = np.flatnonzero(~gone)
    begin = int(present[-1]) + 1 if len(present) else 0
    stretch = len(norm) - begin
    share = stretch / len(norm)
    values = {"early": early, "last": float(norm.values[-1]), "share": share}
    level = 0.0
    if stretch >= 3 and len(loss) >= 3:
        rest = loss.between(float(norm.steps[begin]), float("inf"))
        still = len(rest) < 5 or flat_tail(rest) is not None
        unfinished = loss.last > 0.05 * loss.first if loss.first > 0 else True
        level = ramp(share, 0.02, 0.2) if still and unfinished else 0.0
        if _ran_out(norm.values[:begin], early) and float(loss.values[0]) > 0:
            level = min(level, 0.3 + 0.7 * ramp(loss.last / float(loss.values[0]), 0.5, 0.95))
    elif stretch >= 3:
        level = 0.5 * ramp(share, 0.02, 0.2)
    if level < 0.5:
        text = f"Gradient norm ends at {num4(values['last'])}; early it was {num4(early)}."
        return Measured(share, text, level=level, values=values)
    onset = int(norm.steps[begin])
    what = "zero" if norm.values[begin:].max() == 0 else f"below a ten-thousandth of its early {num4(early)}"
    where = f" while training loss stays at {num4(loss.last)}" if len(loss) else ""
    text = f"Gradient norm is {what} from {moment(run, onset)} on{where}."
    return Measured(share, text, level=level, onset=onset, values=values)


def _ran_out(before: FloatArray, early: float) -> bool:
    """Whether the norm went down by degrees: several were recorded on the way."""
    return int(((before < 0.1 * early) & (before > VANISHED * early)).sum()) >= 3


def _never_there(norms: FloatArray, loss: Curve) -> float | None:
    """The typical norm, where it is nothing beside the loss in most of the run and the loss makes no progress."""
    if len(loss) < 5 or float(np.median(loss.values)) <= 0:
        return None
    typical, middle = float(np.quantile(norms, 0.8)), float(np.median(loss.values))
    if not 0 < typical < OF_LOSS * middle:
        return None
    still, tail = loss.last > 0.9 * loss.first, flat_tail(loss)
    # A loss that fell at first and then stopped had its gradient then, or an optimizer that divides by it.
    stopped = tail is not None and tail.share >= 0.5 and loss.last > 0.5 * loss.first
    return typical if still or (stopped and float(norms.max()) < SCALED_UP * OF_LOSS * middle) else None


def _absent(norm: Curve, loss: Curve, typical: float) -> Measured:
    text = (
        f"Gradient norm is {num4(float(np.median(norm.values)))} (median) over the whole run "
        f"while training loss stays at {num4(loss.last)}."
    )
    values = {"early": typical, "last": float(norm.values[-1]), "share": 1.0}
    return Measured(1.0, text, onset=int(norm.steps[0]), values=values)


@sign("gradients-spiking", questions.STEPS, "dynamics", unless={networks_compete: 0.0})
def gradients_spiking(run: Run) -> Measured | str:
    """How far single gradient norms jump beyond their own distribution.

    Each norm is measured against the median of those before it, in ratios, by the spread of just that quantity.
    Norms are heavy-tailed in healthy runs: four times the usual is ordinary, twenty times is not. The first
    hundredth of the run is left out, where norms settle. It is a warning when the loss jumps with it: a jump of its
    own, or, where bursts tell when to look, rises at most of them beyond its ordinary steps.
    """

    norm, loss = gradient_norm(run), training_loss(run)
    if len(norm) < 3:
        return "fewer than three gradient norms were recorded"
    if norm.values.min() <= 0:
        return "gradient norms of zero cannot be compared as ratios"
    found = [e for e in gradient_excursions(run) if e.start >= max(2, len(norm) // 100)]
    if not found:
        return Measured(0.0, f"None of {len(norm)} gradient norms stands out.", severity="info", values={"count": 0})
    highest = max(found, key=lambda e: e.height)
    level = min(ramp(highest.z, 5, 10), ramp(highest.height, math.log(4), math.log(20)))
    first = next(e for e in found if e.height >= 0.5 * highest.height)
    onset, peak = int(norm.steps[first.start]), int(norm.steps[highest.peak])
    jumps = [float(loss.steps[e.start]) for e in loss_excursions(run) if e.level >= 0.5]
    near = 3 * max(norm.spacing, loss.spacing)
    with_loss = _loss_follows_bursts(loss, [int(norm.steps[e.start]) for e in found if e.height >= BURST]) or any(
        abs(step - norm.steps[e.peak]) <= near or abs(step - norm.steps[e.start]) <= near
        for step in jumps
        for e in found
    )
    values = {
        "count": len(found),
        "bursts": sum(e.height >= BURST for e in found),
        "peak": float(norm.values[highest.peak]),
        "log_ratio": highest.height,
        "with_loss": with_loss,
    }
    text = (
        f"Gradient norm jumps to {num4(values['peak'])} at {moment(run, peak)}, {times(highest.height)} the median "
        f"before it{', and the loss jumps with it' if with_loss else ''}."
    )
    severity: Severity = "warning" if level >= 0.5 and with_loss else "info"
    return Measured(highest.height, text, level=level, onset=onset, severity=severity, values=values)


def _loss_follows_bursts(loss: Curve, bursts: list[int]) -> bool:
    """Whether the loss rises at the bursts (median) by far more than from point to point elsewhere."""
    y, rises = loss.ratios, []
    for step in bursts:
        i = int(np.searchsorted(loss.steps, step))
        if 3 <= i < len(y):
            rises.append(float(y[i : i + 2].max() - np.median(y[max(0, i - 5) : i])))
    if len(rises) < 3:
        return False
    least = max(FOLLOWS[0] * spread_of_differences(y), FOLLOWS[1])
    return float(np.median(rises)) >= least


@sign("gradients-running-away", questions.STEPS, "dynamics")
def gradients_running_away(run: Run) -> Measured | str:
    """How many times its own early level the gradient norm reaches, where the loss goes with it.

    Run-away: the last finite norms before the end, or before the first NaN/Inf, lie far above the early median and
    were not there before. Bursts: several norms far beyond the usual, each with a jump of the loss. Norms alone
    prove nothing, because they are heavy-tailed in healthy runs: the loss must be lost, rise, or jump with them.
    """

    norm, loss = gradient_norm(run), training_loss(run)
    if len(norm) < 5 or norm.values.max() <= 0:
        return "fewer than five gradient norms were recorded"
    early = float(np.median(norm.values[: max(3, len(norm) // 5)]))
    if early <= 0:
        return "the early gradient norms are zero, so their growth has no size"
    grown, start = _run_away(norm, early)
    follows = _loss_follows_growth(run, loss)
    level = ramp(grown, *GROWN) * follows
    bursts = _bursts(run, norm, loss)
    repeated = min(ramp(len(bursts), 1, 3), 1.0) if len(bursts) > 1 else 0.0
    values = {"early": early, "ratio": math.exp(min(grown, 300)), "bursts": len(bursts), "loss_follows": follows}
    if max(level, repeated) < 0.5:
        text = f"Gradient norm ends at {num4(float(norm.values[-1]))}; its early median was {num4(early)}."
        return Measured(grown, text, level=max(level, repeated), severity="info", values=values)
    if level >= repeated:
        text = (
            f"Gradient norm grows from {num4(early)} (early median) to {num4(float(norm.values[start:].max()))} "
            f"from {moment(run, int(norm.steps[start]))} on, and the loss goes with it{_then_lost(run)}."
        )
        return Measured(grown, text, level=level, onset=int(norm.steps[start]), severity="critical", values=values)
    peak = max(bursts, key=lambda at: norm.values[at])
    text = (
        f"Gradient norm bursts {len(bursts)} times, up to {num4(float(norm.values[peak]))} at "
        f"{moment(run, int(norm.steps[peak]))} (early median {num4(early)}), and the loss jumps each time."
    )
    return Measured(grown, text, level=repeated, onset=int(norm.steps[bursts[0]]), values=values)


def _then_lost(run: Run) -> str:
    """Since when the loss is NaN/Inf to the end, as a clause."""
    loss = run.series("loss/train")
    good = np.flatnonzero(np.isfinite(loss.values))
    lost = int(good[-1]) + 1 if len(good) else len(loss)
    return f", until it is NaN/Inf from {moment(run, int(loss.steps[lost]))} on" if lost < len(loss) else ""


def _run_away(norm: Curve, early: float) -> tuple[float, int]:
    """The log ratio of the last norms to the early ones, and where the norm left its usual range for good."""
    last = norm.values[-3:]
    grown = math.log(max(float(np.median(last)), float(last[-1]), 1e-300) / early)
    usual = 3 * max(early, float(np.median(norm.values)) if grown < GROWN[0] else early)
    inside = np.flatnonzero(norm.values <= usual)
    start = min(int(inside[-1]) + 1 if len(inside) else 0, len(norm) - 1)
    return grown, start


def _loss_follows_growth(run: Run, loss: Curve) -> float:
    """0 to 1: the loss or the norm itself ends NaN/Inf, or the loss has diverged."""
    for name in ("loss/train", "grad_norm"):
        values = run.series(name).values
        if len(values) and not np.isfinite(values[-1]):
            return 1.0
    diverged = loss_diverged.measure(run) if len(loss) >= 3 else None
    return diverged.level if isinstance(diverged, Sign) else 0.0


def _bursts(run: Run, norm: Curve, loss: Curve) -> list[int]:
    if norm.values.min() <= 0:
        return []
    jumps = [float(loss.steps[e.start]) for e in loss_excursions(run) if e.level >= 0.5] if len(loss) else []
    near = 3 * max(norm.spacing, loss.spacing) if len(loss) else 0.0
    found = [
        e.peak for e in gradient_excursions(run) if e.height >= BURST_AT_END and e.start >= max(2, len(norm) // 100)
    ]
    return [at for at in found if any(abs(step - norm.steps[at]) <= near for step in jumps)]
