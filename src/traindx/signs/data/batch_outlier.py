"""Whether the batches at the loss's jumps are outliers in the data themselves: largest input or target against usual.

For each jump the batch's extremes are divided by their median over the run. Five times the usual at most of the jumps
says that certain samples cause them; ordinary batches at the jumps say that they do not.
"""

from __future__ import annotations

from ...record import Run, Series
from .._base import Missing, Sign, ramp
from .._facts import number
from .._tables import median, ordered
from .._words import grave, num

ID = "batch-outlier"
EXTREMES = ("input_max", "target_max", "input_rms", "target_rms")
FEWEST = 5


def _at(series: Series, step: int) -> float | None:
    """The largest value at that step."""
    found = [abs(float(value)) for value in series.values[series.steps == step]]
    return max(found, default=None)


def measure(run: Run) -> Sign | Missing:
    usual: list[tuple[str, Series, float]] = []
    for name in EXTREMES:
        series = ordered(run.series(name))
        middle = median(abs(series.values))
        if len(series) >= FEWEST and middle is not None and middle > 1e-300:
            usual.append((name, series, middle))
    if not usual:
        return Missing(ID, "the batches' extremes were not recorded")
    jumps = [event for event in run.events_of("loss-jump") if isinstance(event.step, int)]
    if not jumps:
        return Sign(ID, 0.0, 0.0, "the loss made no jump")
    worst: list[tuple[float, str, int]] = []
    for event in jumps:
        assert event.step is not None
        ratios = []
        for name, series, middle in usual:
            value = number(event.data.get(name)) if name in event.data else _at(series, event.step)
            if value is not None:
                ratios.append((min(abs(value) / middle, 1e300), name, event.step))
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
        f"at {len(outlying)} of {len(worst)} jumps of the loss the batch is an outlier; at step {peak[2]} its "
        f"{peak[1]} is {num(peak[0])} times the usual",
        onset=min((found[2] for found in outlying), default=None),
        severity=grave(level, "warning"),
        values={"jumps": len(worst), "outlying": len(outlying), "steps": [found[2] for found in outlying][:20]},
    )
