"""Whether the batches at the loss's jumps are outliers in the data themselves: largest input or target against usual.

For each jump the batch's extremes are divided by their median over the run. Five times the usual at most of the jumps
means that certain samples cause them; ordinary batches at the jumps mean that they do not. A jump that closely follows
another one is its consequence. The observer records jumps once the loss has a level; jumps of the very first steps are
read from the curve.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...record import Run, Series
from ...record.values import number
from ...wording import counted, num
from .. import questions
from .._base import Missing, Sign, if_raised, ramp
from .._tables import median, ordered

ID = "batch-outlier"
QUESTION = questions.DATA
SHOWS = "condition"
PEAKS = {
    "input_max": "largest input",
    "target_max": "largest target",
    "input_rms": "input RMS",
    "target_rms": "target RMS",
}
EXTREMES = ("input_max", "target_max", "input_rms", "target_rms")
FEWEST = 5
BURST = 5  # steps: a jump this soon after another is its aftermath
NOT_NOTED = 5  # the last step of which the observer notes no jump
FAR = 10.0  # times the median loss


def _at(series: Series, step: int) -> float | None:
    """The largest value at that step."""
    found = [abs(float(value)) for value in series.values[series.steps == step]]
    return max(found, default=None)


def _jumps(run: Run) -> dict[int, Mapping[str, Any]]:
    """The first of each burst of jumps, and what was noted of its batch."""
    found: dict[int, Mapping[str, Any]] = {
        event.step: event.data for event in run.events_of("loss-jump") if isinstance(event.step, int)
    }
    curve = ordered(run.series("loss/train"))
    level = median(abs(curve.values))
    if level:
        early = curve.steps[(curve.steps <= NOT_NOTED) & (curve.values > FAR * level)]
        # A first loss far above all others is where training begins, not a jump.
        found.update((int(step), {}) for step in early if step > 0 and int(step) not in found)
    starts: dict[int, Mapping[str, Any]] = {}
    last = -BURST - 1
    for step in sorted(found):
        if step - last > BURST:
            starts[step] = found[step]
        last = step
    return starts


def measure(run: Run) -> Sign | Missing:
    usual: list[tuple[str, Series, float]] = []
    for name in EXTREMES:
        series = ordered(run.series(name))
        middle = median(abs(series.values))
        if len(series) >= FEWEST and middle is not None and middle > 1e-300:
            usual.append((name, series, middle))
    if not usual:
        return Missing(ID, "the batches' extremes were not recorded")
    jumps = _jumps(run)
    if not jumps:
        return Sign(ID, 0.0, 0.0, "the loss has no spike")
    worst: list[tuple[float, str, int]] = []
    for step, noted in jumps.items():
        ratios = []
        for name, series, middle in usual:
            value = number(noted.get(name)) if name in noted else _at(series, step)
            if value is not None:
                ratios.append((min(abs(value) / middle, 1e300), name, step))
        if ratios:
            worst.append(max(ratios))
    ratio = median(found[0] for found in worst)
    if ratio is None:
        return Missing(ID, "the batches at the loss's jumps were not looked at")
    outlying = [found for found in worst if found[0] > 5.0]
    share = len(outlying) / len(worst)
    peak = max(worst)
    level = ramp(peak[0], 3.0, 10.0, log=True) * ramp(share, 0.2, 0.6)
    return Sign(
        ID,
        peak[0],
        level,
        f"the batch is an outlier at {len(outlying)} of {counted(len(worst), 'loss spike')}; at step {peak[2]} its "
        f"{PEAKS.get(peak[1], peak[1])} is {num(peak[0])} times the run's median",
        onset=min((found[2] for found in outlying), default=None),
        severity=if_raised(level, "warning"),
        values={"jumps": len(worst), "outlying": len(outlying), "steps": [found[2] for found in outlying][:20]},
    )
