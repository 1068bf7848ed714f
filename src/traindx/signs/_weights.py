"""How the size of the weights changed over the run."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..record import Run
from ._tables import bins, concordance, median, ordered

FEWEST = 5


@dataclass(frozen=True)
class WeightChange:
    ratio: float  # last norm over first: median over weight matrices, or of all weights together
    order: float  # Kendall's tau over the run: -1 where the norm falls all the way
    first: float
    last: float


def weight_change(run: Run) -> WeightChange | None:
    """None where fewer than five looks were taken or the weights began at zero."""
    whole = ordered(run.series("weight_norm"))
    # What no gradient ever reaches is left to weight decay alone: that it shrinks is the consequence of something else.
    matrices = {p.name for p in run.parameters if p.matrix and p.trains and p.grad != "zero"}
    table = run.layers("weight_norm")
    rows = table.values[np.argsort(table.steps, kind="stable")]
    columns = [rows[:, i] for i, name in enumerate(table.layers) if name in matrices]
    tracks = [[float(v) for v in column if np.isfinite(v)] for column in columns] or [whole.values.tolist()]
    tracks = [track for track in tracks if len(track) >= FEWEST and track[0] > 0]
    ratio = median(track[-1] / track[0] for track in tracks)
    if ratio is None:
        return None
    order = median(concordance(bins(np.asarray(track), 10)) for track in tracks) or 0.0
    longest = whole.values.tolist() if len(whole) >= FEWEST else tracks[0]
    return WeightChange(ratio, order, longest[0], longest[-1])
