"""Losses that swing: without progress, with every epoch, or in stairs."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np

from ...record import Run
from ...record.types import FloatArray
from ...wording import num4, percent, plus_minus
from .. import questions
from .._adversaries import in_balance
from .._base import Measured, Severity, Sign, ramp, sign
from .._epochs import epoch_borders
from .._excuses import networks_compete
from .._fall import Fall, fall_of
from .._rate import learning_rate
from .._trend import trend
from ..curve import BINS, Curve, curve_of, moment, robust_spread, spread_of_differences, training_loss

SMALL = 0.1  # swings, as a share of how far the loss has fallen
RAISED = 0.5
RESTARTS = 2
ERRATIC = (0.1, 0.2)  # of the level, from epoch to epoch
GROWN = (math.log(3), math.log(8))
GROWN_TO = (0.03, 0.1)  # of the level, at the end of swings that grow
AFTER_LEARNING = 0.7  # the highest level of small swings
PHASES = 8
FEWEST = 6  # points an epoch needs for a level at each of its ends


def _means_of_two(curve: Curve) -> Curve:
    pairs = len(curve) // 2 * 2
    return Curve(curve.steps[1:pairs:2], (curve.values[0:pairs:2] + curve.values[1:pairs:2]) / 2)


def _do_now_oscillating(sign: Sign, run: Run) -> str:
    """A level to go back to is one that lasted before the swings: a single low point between them is none."""
    before = training_loss(run).between(-math.inf, sign.onset if sign.onset is not None else math.inf)
    if len(before) < BINS // 4 or not trend(*before.binned).falls:
        return ""
    steps, levels = before.binned
    lowest = int(np.argmin(levels))
    level = math.exp(levels[lowest]) if before.logarithmic else float(levels[lowest])
    return (
        f"Keep the checkpoint of {moment(run, round(float(steps[lowest])))}, the lowest smoothed loss ({num4(level)})."
    )


@sign(
    "loss-oscillating",
    questions.FALLS,
    "outcome",
    severity="warning",
    bad_from=0.8,
    doubt_from=0.5,
    end="step",
    do_now=_do_now_oscillating,
    unless={networks_compete: 0.4, in_balance: 0.0},
)
def loss_oscillating(run: Run) -> Measured | str:
    """Swings of the training loss that sampling cannot explain, without net progress.

    Sampling noise is independent from point to point. Four departures from that are measured over the last three
    fifths: jumps of a mean over whole epochs, up and down in turn (neighbouring differences opposed far beyond the
    -0.5 of independent noise), swings that grow, and waves of one period. All need the absence of net progress.
    Swings that are small beside what was learned before them, as of a loss that went from 2.6 to 0.1 and stays
    there, are a doubt and no bad outcome, unless they grow.
    """

    loss = training_loss(run)
    if len(loss) < 12:
        return "fewer than twelve training losses were recorded"
    late = Curve(loss.steps[len(loss) * 2 // 5 :], loss.values[len(loss) * 2 // 5 :])
    if _alternating(loss.ratios) >= RAISED and not trend(*loss.binned).falls:
        late = loss  # from the start on
    if len(loss) < 30 and not trend(*loss.binned).falls:
        late = loss  # in few points all of them are needed
    # Two samples in turn alternate for ever: what they have in common is the mean of each two.
    course = trend(*(_means_of_two(late) if _alternating(late.ratios) >= RAISED else late).binned_ratios)
    progress = course.falls and -course.change > max(0.1, 2 * course.noise)
    fall = fall_of(loss)
    learned = fall is not None and fall.z > 4 and fall.share > 0.5
    kinds = {
        "alternating": _alternating(late.ratios),
        "growing": _growing(late.ratios),
        "periodic": _periodic(late.ratios, learned),
        "erratic": _erratic(run, late.ratios),
    }
    if _restarts(run) >= RESTARTS:
        kinds["periodic"] = 0.0  # a cyclic schedule swings the loss by design
    kind = max(kinds, key=lambda name: kinds[name])
    level = 0.0 if progress else kinds[kind]
    if learned and fall is not None and kind != "growing" and _small_beside(fall, late):
        level = min(level, AFTER_LEARNING)
    swing = robust_spread(late.ratios - course.slope * late.steps) if kind != "periodic" else _range(late.ratios) / 2
    values = {"kind": kind, "swing": swing, "net_change": course.change}
    since = moment(run, int(late.steps[0]))
    if level < 0.5:
        text = f"Training loss swings by {plus_minus(min(swing, 99))} from {since} on, like independent noise."
        if progress:
            text = f"Training loss swings by {plus_minus(min(swing, 99))} from {since} on while its trend falls."
        return Measured(swing, text, level=level, values=values)
    # Half the way between highs and lows, in ratios; of these the hyperbolic tangent is the share of their middle.
    half = _range(late.ratios) / 2 if kind in ("alternating", "periodic") else swing
    shown = plus_minus(math.tanh(half) if loss.minimum > 0 else min(half, 99))
    text = f"Training loss swings by {shown} ({kind}) from {since} on without net progress."
    return Measured(swing, text, level=level, onset=int(late.steps[0]), values=values)


def _restarts(run: Run) -> int:
    """How often the learning rate begins to rise again."""
    rate = curve_of(run.series("lr"))
    rises = np.diff(rate.values) > 0
    return int((rises[1:] & ~rises[:-1]).sum()) if len(rises) > 1 else 0


def _small_beside(fall: Fall, late: Curve) -> bool:
    gained = fall.start - float(np.median(late.values))
    return robust_spread(late.values) < SMALL * gained


def _alternating(y: FloatArray) -> float:
    d = np.diff(y) - np.diff(y).mean()
    d = np.clip(d, *np.quantile(d, [0.02, 0.98])) if len(d) >= 50 else d
    power = float(d @ d)
    amplitude = robust_spread(y)
    if power <= 0 or len(d) < 10:
        return 0.0
    opposed = -float(d[1:] @ d[:-1]) / power
    slack = 1.0 / math.sqrt(len(d))  # the estimate's own error
    return min(ramp(opposed - slack, 0.6, 0.85), ramp(amplitude, 0.03, 0.1))


def _growing(y: FloatArray) -> float:
    quarters = [spread_of_differences(part) for part in np.array_split(y, 4)]
    if min(len(y) // 4, 10) < 10 or quarters[0] <= 0 or not all(np.diff(quarters) > 0):
        return 0.0
    return min(ramp(math.log(quarters[-1] / quarters[0]), *GROWN), ramp(quarters[-1], *GROWN_TO))


def _periodic(y: FloatArray, learned: bool) -> float:
    """A wave: at least four cycles, and half of all movement in one frequency and its neighbours.

    Running means that restart each epoch swing by a fifth; after learning more than that is asked for.
    """
    n = len(y)
    if n < 10:
        return 0.0
    centred = y - np.polyval(np.polyfit(np.arange(n), y, 1), np.arange(n))
    power = np.abs(np.fft.rfft(centred * np.hanning(n))) ** 2
    total = float(power[1:].sum())
    waves = power.copy()
    waves[:4] = 0.0
    peak = int(np.argmax(waves))
    if total <= 0 or peak < 4:
        return 0.0
    share = float(power[peak - 1 : peak + 2].sum()) / total
    # Independent noise has a peak too: the share of three of n/2 frequencies, times the chance excess of the highest.
    chance = min(0.9, 3 * math.log(n) / (n / 2))
    large = ramp(_range(y), math.log(1.5), math.log(2.5)) if learned else ramp(_range(y), math.log(1.2), math.log(1.6))
    return min(ramp(share, max(0.4, chance), max(0.6, chance + 0.2)), large)


def _erratic(run: Run, y: FloatArray) -> float:
    """Jumps from epoch to epoch: the mean over an epoch hides what sampling does, so little of them is noise."""
    return ramp(spread_of_differences(y), *ERRATIC) if len(y) >= 10 and _by_epoch(run) else 0.0


def _by_epoch(run: Run) -> bool:
    """Whether each training loss is that of an epoch: rows are counted in epochs, or each is another epoch's.

    So is the history of a fit, which counts nothing and holds an accuracy or an evaluation beside each loss.
    """
    points, epochs = len(training_loss(run)), curve_of(run.series("epoch"))
    if run.step_unit == "row":
        names = ("loss/validation", "accuracy/validation", "accuracy/train")
        return max(len(run.series(name)) for name in names) >= 0.9 * points
    return run.step_unit == "epoch" or (len(epochs) >= 0.9 * points and float(np.diff(epochs.values).min()) >= 1)


def _range(bins: FloatArray) -> float:
    low, high = np.quantile(bins, [0.1, 0.9])
    return float(high - low)


@sign("saw-tooth", questions.FALLS, "dynamics")
def saw_tooth(run: Run) -> Measured | str:
    """How much of the loss's movement within epochs is one pattern that every epoch repeats.

    The epochs are laid over each other, each around its own level. The pattern of the odd epochs is compared with
    that of the even ones (noise does not agree with itself) and its share of the movement is taken. Stairs at the
    borders alone leave no pattern within the epoch, so memorising does not raise this; unshuffled data and running
    means do.
    """

    loss, borders = training_loss(run), epoch_borders(run)
    if len(borders) < 4 or len(loss) < (len(borders) + 1) * PHASES:
        return f"four epoch boundaries and {PHASES} training losses per epoch are needed"
    y = loss.ratios
    edges = [0, *np.searchsorted(loss.steps, borders).tolist(), len(loss)]
    # The first epoch falls because training begins; the last may be incomplete.
    shapes = [s for a, b in pairwise(edges[1:-1]) if (s := _shape(y[a:b])) is not None]
    if len(shapes) < 3:
        return "fewer than three whole epochs after the first were recorded"
    table = np.stack(shapes[-200:])
    odd, even = table[::2].mean(axis=0), table[1::2].mean(axis=0)
    swing = float(np.sqrt(max(0.0, float(odd @ even) / PHASES)))
    total = float(table.std())
    norm = float(np.linalg.norm(odd) * np.linalg.norm(even))
    agreement = float(odd @ even) / norm if norm > 0 else 0.0
    share = swing / total if total > 0 else 0.0
    # Steady falling within every epoch is a pattern too; a saw also has to jump back.
    jump = _jump_back(table, y, edges)
    pattern = table.mean(axis=0)
    # Rising within the epoch and dropping at its border is what memorised samples do (memorising).
    climb = float(pattern[-1] - pattern[0]) / (float(np.ptp(pattern)) or 1.0)
    level = min(ramp(agreement, 0.6, 0.9), ramp(share, 0.4, 0.7), ramp(swing, 0.01, 0.04), jump, ramp(climb, 0.6, 0.3))
    size = f"{plus_minus(swing)}, which makes up {percent(share)} of its movement"
    text = f"The loss repeats one pattern in every epoch: {size}."
    onset = int(loss.steps[edges[1]])
    severity: Severity = "warning"
    values = {"agreement": agreement, "share": share, "swing": swing, "epochs": len(shapes)}
    return Measured(swing, text, level=level, onset=onset, severity=severity, values=values)


def _shape(y: FloatArray) -> FloatArray | None:
    """An epoch's course in eighths, around its own level."""
    if len(y) < PHASES:
        return None
    eighths = np.array([np.median(part) for part in np.array_split(y, PHASES)])
    return np.asarray(eighths - eighths.mean())


def _jump_back(table: FloatArray, y: FloatArray, edges: list[int]) -> float:
    """How much of the pattern's range the trend between epochs does not account for."""
    pattern = table.mean(axis=0)
    extent = float(np.ptp(pattern))
    levels = [float(np.median(y[a:b])) for a, b in pairwise(edges[1:-1]) if b > a]
    per_epoch = abs(float(np.median(np.diff(levels)))) if len(levels) > 1 else 0.0
    return ramp(per_epoch / extent, 0.6, 0.3) if extent > 0 else 0.0


@sign("memorising", questions.FALLS, "dynamics", severity="info")
def memorising(run: Run) -> Measured | str:
    """How much of the training loss's fall happens at the epoch borders rather than within epochs.

    A model that learns what is common to the samples improves all the time; one that memorises single samples
    improves when it meets them again, in a stair at each border. Each border is measured by the levels just before
    and after it against their noise, and the share of borders with a clear drop and of the total fall that lies in
    the drops is taken. A border where the learning rate drops too is left out: that stair has another cause.
    """

    loss, borders = training_loss(run), epoch_borders(run)
    if len(borders) == 0:
        return "epoch boundaries within the run are not known"
    if len(loss) / (len(borders) + 1) < FEWEST:
        return f"fewer than {FEWEST} training losses per epoch were recorded"
    y = loss.ratios
    edges = [0, *np.searchsorted(loss.steps, borders).tolist(), len(loss)]
    drops, inner, clear = [], [], []
    for before, border, after in zip(edges, edges[1:], edges[2:], strict=False):
        if min(border - before, after - border) < FEWEST or _rate_drops(run, loss, border):
            continue
        width = max(3, min(border - before, after - border) // 4)
        low, high = y[border : border + width], y[border - width : border]
        noise = spread_of_differences(y[before:after])
        drop = float(np.median(high) - np.median(low))
        error = max(1.25 * noise * math.sqrt(2 / width), 1e-12)
        # What ordinary falling within the epoch would bring over the same distance is no stair.
        third = (border - before) // 3
        slope = float(np.median(y[before + third : before + 2 * third]) - np.median(y[border - third : border])) / third
        drop -= max(0.0, slope) * width
        drops.append(drop)
        clear.append(drop / error > 3 and drop > 0.02)
        inner.append(float(np.median(y[border : border + width]) - np.median(y[after - width : after])))
    if not drops:
        return "no epoch boundary has enough losses on both sides"
    total = float(sum(max(0.0, d) for d in drops))
    within = float(sum(max(0.0, i) for i in inner))
    share = total / (total + within) if total + within > 0 else 0.0
    stairs = sum(clear) / len(clear)
    size = ramp(total / len(drops), 0.02, 0.06)
    level = min(ramp(stairs, 0.4, 0.8), ramp(share, 0.3, 0.55), size) * (1.0 if len(drops) > 1 else 0.8)
    values = {"borders": len(drops), "clear": int(sum(clear)), "share_of_fall": share, "log_fall_at_borders": total}
    onset = int(loss.steps[edges[1]])
    text = (
        f"Training loss drops abruptly at {sum(clear)} of {len(drops)} epoch boundaries; {percent(share)} of its fall "
        "since the first boundary happens at boundaries."
    )
    # How a loss falls is no outcome: whether validation suffers is validation-rising's to tell.
    return Measured(share, text, level=level, onset=onset, values=values)


def _rate_drops(run: Run, loss: Curve, border: int) -> bool:
    """Whether the learning rate falls by a fifth or more from just before the border to just after it."""
    rate = learning_rate(run)
    if rate is None:
        return False
    at = loss.steps[[border - 1, min(border + 1, len(loss) - 1)]].astype(np.float64)
    before, after = rate.share_at(at)
    return bool(after < 0.8 * before)
