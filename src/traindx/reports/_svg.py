"""Curves as SVG, for pages without scripts: the losses of one run, and the runs of a comparison on one scale."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..record import Series
from ..record.types import FloatArray, evenly
from ..wording import markup, num4
from ._charts import extremes

if TYPE_CHECKING:
    from ..comparison import Measured

LOG_RANGE = 30.0  # values that span more than this ratio are drawn on a log scale
FLAT = 5.0  # outliers are cut off if they make the scale this many times larger than 99 % of the values need
MOST_POINTS = 80  # of one curve
PADDING = 4.0
COLOURS = 8  # in `page.css`; further runs repeat them with dashes
NAMED = 2 * COLOURS
MIDDLE = ' text-anchor="middle"'
SKETCH = (640, 120)  # width and height of the picture of one run
SKETCH_RANGE = 10.0  # its values are drawn on a log scale beyond this ratio
COLUMNS = 320  # of it; each shows its lowest and its highest value, so that no spike is lost


@dataclass(frozen=True)
class Frame:
    """Maps steps and values to coordinates in a picture."""

    width: float
    height: float
    last_step: float
    low: float
    high: float
    log: bool
    cut: bool = False  # whether some values lie above `high`
    first_step: float = 0.0
    padding: float = PADDING

    @classmethod
    def over(cls, curves: Sequence[Measured], width: float, height: float) -> Frame:
        """A scale for all values. Rare outliers are cut off if they would flatten all other values."""
        values = np.concatenate([curve.smooth for curve in curves if len(curve.smooth)] or [np.zeros(1)])
        low, high = float(values.min()), float(values.max())
        positive = values[values > 0]
        if low <= 0 and len(positive) > 0.9 * len(values):
            # A few zeros must not prevent a log scale: they are drawn along the bottom.
            least = float(np.quantile(positive, 0.01))
            low = least if high > LOG_RANGE * least else low
        steps = max((float(curve.steps.max()) for curve in curves if len(curve.steps)), default=1.0)
        log = low > 0 and high > LOG_RANGE * low
        usual = float(np.quantile(values, 0.99))
        cut = not log and high - low > FLAT * (usual - low) > 0
        return cls(width, height, max(steps, 1.0), low, max(usual if cut else high, low), log, cut)

    def x(self, steps: Iterable[float]) -> FloatArray:
        share = (np.asarray(list(steps), float) - self.first_step) / max(1.0, self.last_step - self.first_step)
        return self.padding + share * (self.width - 2 * self.padding)

    def y(self, values: Iterable[float]) -> FloatArray:
        shown = np.clip(np.asarray(list(values), float), self.low, self.high)
        low, high = self.low, self.high
        if self.log:
            shown, low, high = np.log(shown), float(np.log(low)), float(np.log(high))
        # Halve first: the difference of two huge numbers of opposite sign would overflow.
        share = (shown / 2 - low / 2) / (high / 2 - low / 2) if high > low else np.full(len(shown), 0.5)
        return np.asarray(self.height - self.padding - share * (self.height - 2 * self.padding))


def line(curve: Measured, frame: Frame, attributes: str = "") -> str:
    """The smoothed curve, ending in a cross if the run ended in NaN/Inf, else in a dot."""
    if not len(curve.smooth):
        return ""
    keep = evenly(len(curve.smooth), MOST_POINTS)
    x, y = frame.x(curve.smooth_steps[keep]), frame.y(curve.smooth[keep])
    points = " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(x, y, strict=True))
    if curve.final is None:
        broken = curve.steps[~np.isfinite(curve.values)]
        after = broken[broken >= curve.smooth_steps[-1]]
        at = frame.x([after.min() if len(after) else curve.smooth_steps[-1]])[0]
        mark = f'<path class="nan" d="M{at - 3:.1f},{y[-1] - 3:.1f}l6,6m0,-6l-6,6"/>'
    else:
        mark = f'<circle cx="{x[-1]:.1f}" cy="{y[-1]:.1f}" r="1.8"/>'
    return f'<g {attributes}><polyline points="{points}"/>{mark}</g>'


def style_of(place: int) -> str:
    """CSS classes for a rank: the first runs have a colour, the next ones a dashed colour, all others are grey."""
    if place >= NAMED:
        return "other"
    return f"c{place % COLOURS}" + (" dashed" if place >= COLOURS else "") + (" best" if place == 0 else "")


def grid(frame: Frame, unit: str) -> str:
    """Horizontal lines at round values, and steps along the bottom."""
    lines = "".join(
        f'<path class="grid" d="M0,{height:.1f}h{frame.width:.0f}"/>'
        f'<text x="-8" y="{height + 4:.1f}" text-anchor="end">{markup(label)}</text>'
        for height, label in ticks(frame)
    )
    below = frame.height + 18
    places = frame.x([0.0, frame.last_step / 4, frame.last_step / 2, 3 * frame.last_step / 4])
    steps = "".join(
        f'<text x="{x:.0f}" y="{below:.0f}"{"" if not i else MIDDLE}>'
        f"{markup(unit) + ' ' if not i else ''}{frame.last_step * i / 4:,.0f}</text>"
        for i, x in enumerate(places.tolist())
        if frame.last_step >= 8 or not i
    )
    last = f'<text x="{frame.width:.0f}" y="{below:.0f}" text-anchor="end">{frame.last_step:,.0f}</text>'
    return lines + steps + last


def ticks(frame: Frame) -> list[tuple[float, str]]:
    """A few round values as (height, label)."""
    if frame.log:
        first, last = int(np.ceil(np.log10(frame.low))), int(np.floor(np.log10(frame.high)))
        stride = max(1, (last - first) // 4)
        values = [10.0**k for k in range(first, last + 1, stride)]
        values = values if len(values) > 1 else [frame.low, frame.high]
    else:
        raw = (frame.high - frame.low) / 4 or 1.0
        size = 10.0 ** np.floor(np.log10(raw))
        stride_ = next(m * size for m in (1, 2, 5, 10) if m * size >= raw)
        values = list(np.arange(np.ceil(frame.low / stride_), np.floor(frame.high / stride_) + 1) * stride_)
    return [(float(height), f"{value:.4g}") for value, height in zip(values, frame.y(values), strict=True)]


def sketch(loss: Series | None, validation: Series | None, onset: int | None, unit: str) -> str:
    """An `<svg>` of both losses; empty if neither has a finite value."""
    curves = [(name, series.finite) for name, series in (("loss", loss), ("validation", validation)) if series]
    curves = [(name, series) for name, series in curves if series]
    if not curves:
        return ""
    values = np.concatenate([series.values for _, series in curves])
    first, last = (int(f(series.steps[i] for _, series in curves)) for f, i in ((min, 0), (max, -1)))
    log = values.min() > 0 and bool(values.max() > SKETCH_RANGE * values.min())
    low, high = float(values.min()), float(values.max())
    frame = Frame(*SKETCH, last, low, high, log, first_step=first, padding=0.0)
    lines = []
    for name, series in curves:
        kept = extremes(series.values, COLUMNS)
        pairs = zip(frame.x(series.steps[kept]), frame.y(series.values[kept]), strict=True)
        lines.append(f'<polyline class="{name}" points="{" ".join(f"{x:.1f},{y:.1f}" for x, y in pairs)}"/>')
    if onset is not None and first <= onset <= last:
        at = float(frame.x([onset])[0])
        lines.append(f'<path class="onset" d="M{at:.1f},0v{frame.height}"/>')
    words = f"{' and '.join(name for name, _ in curves)} from {unit} {first} to {last}"
    words += f", between {num4(low)} and {num4(high)}{', log scale' if log else ''}"
    return (
        f'<figure><svg viewBox="-2 -4 {SKETCH[0] + 4} {SKETCH[1] + 8}" role="img" aria-label="{markup(words)}">'
        f"{''.join(lines)}</svg><figcaption>{markup(words.capitalize())}.</figcaption></figure>"
    )
