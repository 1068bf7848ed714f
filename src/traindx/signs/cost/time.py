"""Where time goes: waiting for data and other ranks, steps that take longer and longer."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from ...record import Run, Series
from ...record.ranks import Rank
from ...wording import counted, num, percent
from .. import checks, questions
from .._base import RAISED, Measured, place, ramp, sign
from .._tables import bins, concordance, ordered, span, typical
from ..curve import Curve, curve_of

STRETCHES = 6


@dataclass(frozen=True)
class Growth:
    first: float
    last: float
    order: float  # Kendall's tau of the medians of six stretches: 1 where each is above the one before
    lasting: bool  # both halves grow: neither a warm-up that levels off nor a machine that got busy at the end
    steps: int

    @property
    def ratio(self) -> float:
        return self.last / self.first if self.first > 0 else 1.0


def growth(run: Run, name: str, skip: float, fewest: int = 12) -> Growth | None:
    """Growth after the first `skip` share of the points, where caches fill and machines warm up.

    Points at the very first step are left out: they stem from before training, when modules are loaded.
    """
    points = ordered(run.series(name))
    begun = points.steps > (points.steps[0] if points else 0)
    points = Series(name, points.steps[begun], points.values[begun])
    values = span(points.values, skip, 1.0)
    if len(values) < max(fewest, STRETCHES) or not values.min() > 0:
        return None
    levels = bins(values, STRETCHES)
    middle = (levels[STRETCHES // 2 - 1] + levels[STRETCHES // 2]) / 2
    early, late = middle - levels[0], levels[-1] - middle
    lasting = late >= early / 3 and early >= late / 10
    steps = span(points.steps.astype(float), skip, 1.0)
    return Growth(levels[0], levels[-1], concordance(levels), bool(lasting), int(steps[-1] - steps[0]))


@sign("data-wait", questions.TIME, "condition", core=True, check=checks.LOADER_WAIT)
def data_wait(run: Run) -> Measured | str:
    """The share of a step's time spent waiting for data, after the first tenth of the steps.

    Above one half the step waits longer than it computes; of a log, a third of the time is said. A loader needs a few
    milliseconds per batch in any case, which toy models cannot hide and nobody needs to fix: the wait must be longer.
    """
    wait, total = typical(run, "time/data", 0.1), typical(run, "time/total", 0.1)
    if run.kind != "observed":  # workers that starve the step in turn make few long waits: the median hides them
        wait, total = _mean(run, "time/data"), _mean(run, "time/total")
    if wait is None or total is None or total <= 0 or len(run.series("time/data").finite) < 5:
        return "the time spent waiting for data was not measured"
    # On an accelerator the times of forward and backward only cover launching the kernels. Elsewhere the wait is
    # compared with data, forward, backward and step: what else a script does (plots) says nothing about its loader.
    if run.probe or run.devices == ("cpu",):
        total = sum(typical(run, f"time/{part}", 0.1) or 0.0 for part in ("data", "forward", "backward", "step"))
        if total <= 0:
            return "the time spent waiting for data was not measured"
    share = min(max(wait / total, 0.0), 1.0)
    # A log does not say in which unit it counts time, and whoever logs the wait has more than a toy model.
    worth = ramp(wait, 0.002, 0.01, log=True)
    level = ramp(share, 0.2, 0.4) if run.kind != "observed" else ramp(share, 0.4, 0.75) * worth
    loaders = run.training_loaders
    workers = loaders[0].workers if loaders else None
    return Measured(
        share,
        f"{percent(share)} of a step is spent waiting for data ({_times(run, wait, total)})"
        + (f" with {counted(workers, 'worker')}" if workers is not None else "")
        + (place(loaders[0].site) if loaders else ""),
        level,
        values={"wait": wait, "total": total},
    )


def _times(run: Run, wait: float, total: float) -> str:
    return f"{num(1000 * wait)} of {num(1000 * total)} ms" if run.kind == "observed" else f"{num(wait)} of {num(total)}"


def _mean(run: Run, name: str) -> float | None:
    values = run.series(name).finite.values
    return float(np.mean(values[len(values) // 10 :])) if len(values) else None


LEAST_TIMED = 10
IN_STEP = 0.8  # the least ratio of step times of ranks that wait for each other
PARTS = ("before", "forward")


@sign("ranks-wait", questions.TIME, "condition")
def ranks_wait(run: Run) -> Measured | str:
    """How much longer one rank of a distributed job takes before its backward than the others, as a share of a step.

    Ranks wait for each other when gradients are exchanged, so the slowest one sets the pace. The time before the
    backward (loading, whatever the loop does between steps, the forward) is each rank's own; the wait itself falls into
    the backward. Ranks whose steps take unequal times in all do not wait for each other, and a few milliseconds do not
    matter.
    """
    ranks = [rank for rank in run.ranks if rank.timed >= LEAST_TIMED]
    totals = [rank.total for rank in ranks]
    if len(ranks) < 2 or min(totals) <= 0:
        return "the steps of several ranks were not timed"
    if min(totals) < IN_STEP * max(totals):
        return "the ranks do not step together"
    # A forward may wait for others too (buffers, synchronised batch norm), so the time before it is compared alone as
    # well, and the clearer difference counts.
    candidates = [_behind(ranks, parts) for parts in (PARTS[:1], PARTS)]
    excess, slowest = max(candidates, key=lambda found: found[0])
    own, others_own = _seconds(ranks[slowest], PARTS), ranks[:slowest] + ranks[slowest + 1 :]
    usual = sum(float(np.median([_seconds(rank, (part,)) for rank in others_own])) for part in PARTS)
    total = float(np.median(totals))
    share = min(max(excess / total, 0.0), 1.0)
    level = ramp(share, 0.15, 0.5) * ramp(excess, 0.002, 0.01, log=True)
    number_of = ranks[slowest].rank or 0
    where = "loading and between steps" if candidates[0][0] >= 0.5 * excess else "in the forward pass"
    two = len(ranks) == 2
    others = f"the other rank {num(1000 * usual)} ms" if two else f"the others {num(1000 * usual)} ms (their median)"
    return Measured(
        share,
        f"rank {number_of} takes {num(1000 * own)} ms before its backward pass ({where}), {others}; waiting takes "
        f"{percent(share)} of each step of {num(1000 * total)} ms",
        level,
        values={"rank": number_of, "own": own, "usual": usual, "total": total, "share": share, "where": where},
    )


def _seconds(rank: Rank, parts: tuple[str, ...]) -> float:
    return float(sum(getattr(rank, part) for part in parts))


def _behind(ranks: list[Rank], parts: tuple[str, ...]) -> tuple[float, int]:
    """How much longer the slowest rank takes for these parts than the others do, and which it is."""
    own = [_seconds(rank, parts) for rank in ranks]
    slowest = int(np.argmax(own))
    return own[slowest] - float(np.median(own[:slowest] + own[slowest + 1 :])), slowest


GROWN = (math.log(1.15), math.log(1.5))
FEWEST = 8
FIFTHS = 5
MOST_PAIRED = 2000  # points of a third; of more, the fifths alone say it


@sign("step-time-growing", questions.TIME, "dynamics", end="step")
def step_time_growing(run: Run) -> Measured | str:
    """How many times longer a step takes, or how much more memory is in use, at the end of a log than at its start.

    The growth must be steady: every fifth of the run lies above the one before, and nearly every time of the last third
    above nearly every one of the first. One slow stretch is a busy machine. A third longer is where it counts.
    """
    if run.kind == "observed":
        return "inside a run the growth of graph and memory is measured directly"
    found = [(what, curve) for what, curve in _candidates(run) if len(curve) >= FEWEST and curve.values.min() > 0]
    if not found:
        return "no times or memory of steps were recorded"
    judged = [(*_growth(curve), what, curve) for what, curve in found]
    level, grown, what, curve = max(judged, key=lambda entry: (entry[0], entry[1]))
    parts = np.array_split(curve.values, FIFTHS)
    first, last = float(np.median(parts[0])), float(np.median(parts[-1]))
    values = {"series": what, "first": first, "last": last}
    text = f"{what} goes from {num(first)} (first fifth) to {num(last)} (last fifth)."
    if level >= RAISED:
        text = f"{what} grows steadily, from {num(first)} (first fifth) to {num(last)} (last fifth of the run)."
    return Measured(grown, text, level, onset=int(curve.steps[0]), values=values)


def _candidates(run: Run) -> list[tuple[str, Curve]]:
    return [("Step time", curve_of(run.series("time/total"))), ("Memory in use", curve_of(run.series("memory")))]


def _growth(curve: Curve) -> tuple[float, float]:
    """The level, and the log ratio of the end to the start. Each fifth must lie above the one before.

    The middles of the outer fifths lie four fifths of the run apart.
    """
    middles = [float(np.median(part)) for part in np.array_split(curve.values, FIFTHS)]
    grown = FIFTHS / (FIFTHS - 1) * math.log(middles[-1] / middles[0])
    steady = sum(b > a for a, b in pairwise(middles)) / (FIFTHS - 1)
    third = max(1, len(curve) // 3)
    above = float(np.mean(curve.values[-third:, None] > curve.values[None, :third])) if third <= MOST_PAIRED else steady
    return min(ramp(grown, *GROWN), ramp(above, 0.8, 0.95), ramp(steady, 0.7, 1.0)), grown


@sign("backward-slowing", questions.TIME, "dynamics")
def backward_slowing(run: Run) -> Measured | str:
    """The time of a backward pass, late against early, after the first tenth of the run.

    Busy machines and caches make it wander; only work that piles up makes it grow all the way and go on growing. A
    machine that gets busier slows the forward pass as well, so what that slowed by is taken off first.
    """
    found = growth(run, "time/backward", 0.1)
    if found is None:
        return "backward passes were not timed often enough"
    forward = growth(run, "time/forward", 0.1)
    ratio = found.ratio / max(1.0, forward.ratio if forward is not None else 1.0)
    level = ramp(ratio, 1.7, 5.0, log=True) * ramp(found.order, 0.5, 0.9) * found.lasting
    return Measured(
        ratio,
        f"backward time went from {num(1000 * found.first)} ms to {num(1000 * found.last)} ms over {found.steps} steps",
        level,
        values={"first": found.first, "last": found.last},
    )
