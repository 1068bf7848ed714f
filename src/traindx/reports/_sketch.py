"""The loss curves as a small SVG, for pages without scripts."""

from __future__ import annotations

import numpy as np

from ..record import Series
from ..record.types import FloatArray
from ..wording import markup, num4

WIDTH, HEIGHT = 640, 120
COLUMNS = 320  # each shows its lowest and its highest value, so that no spike is lost
DECADES = 10.0  # values that span more than this ratio are drawn on a log scale


def sketch(loss: Series | None, validation: Series | None, onset: int | None, unit: str) -> str:
    """An `<svg>` of both losses; empty if neither has a finite value."""
    curves = [(name, series.finite) for name, series in (("loss", loss), ("validation", validation)) if series]
    curves = [(name, series) for name, series in curves if series]
    if not curves:
        return ""
    values = np.concatenate([series.values for _, series in curves])
    first, last = (int(f(series.steps[i] for _, series in curves)) for f, i in ((min, 0), (max, -1)))
    log = values.min() > 0 and bool(values.max() > DECADES * values.min())
    heights = np.log(values) if log else values
    low, high = float(heights.min()), float(heights.max())

    def across(steps: FloatArray) -> FloatArray:
        return (steps - first) / max(1, last - first) * WIDTH

    def up(points: FloatArray) -> FloatArray:
        scaled = np.log(points) if log else points
        # Halve first: the difference of two huge numbers of opposite sign would overflow.
        return HEIGHT - (scaled / 2 - low / 2) / ((high / 2 - low / 2) or 1.0) * HEIGHT

    lines = []
    for name, series in curves:
        steps, points = _thinned(series)
        pairs = " ".join(f"{x:.1f},{y:.1f}" for x, y in zip(across(steps), up(points), strict=True))
        lines.append(f'<polyline class="{name}" points="{pairs}"/>')
    if onset is not None and first <= onset <= last:
        at = float(across(np.array([float(onset)]))[0])
        lines.append(f'<path class="onset" d="M{at:.1f},0v{HEIGHT}"/>')
    words = f"{' and '.join(name for name, _ in curves)} from {unit} {first} to {last}"
    words += f", between {num4(float(values.min()))} and {num4(float(values.max()))}{', log scale' if log else ''}"
    return (
        f'<figure><svg viewBox="-2 -4 {WIDTH + 4} {HEIGHT + 8}" role="img" aria-label="{markup(words)}">'
        f"{''.join(lines)}</svg><figcaption>{markup(words.capitalize())}.</figcaption></figure>"
    )


def _thinned(series: Series) -> tuple[FloatArray, FloatArray]:
    """At most two points per column."""
    steps, values = series.steps.astype(np.float64), series.values
    if len(values) <= 2 * COLUMNS:
        return steps, values
    keep: set[int] = set()
    for part in np.array_split(np.arange(len(values)), COLUMNS):
        keep |= {int(part[values[part].argmin()]), int(part[values[part].argmax()])}
    chosen = np.array(sorted(keep))
    return steps[chosen], values[chosen]
