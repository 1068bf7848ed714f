"""How much of the loss's movement within epochs is one pattern that every epoch repeats.

The epochs are laid over each other, each around its own level. The pattern of the odd epochs is compared with that
of the even ones (noise does not agree with itself) and its share of the movement is taken. Stairs at the borders alone
leave no pattern within the epoch, so memorising does not raise this; unshuffled data and running means do.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from ...record import Run
from ...record.types import FloatArray
from ...wording import percent, plus_minus
from .. import questions
from .._base import Missing, Severity, Sign, ramp
from .._epochs import epoch_borders
from ..curve import training_loss

ID = "saw-tooth"
QUESTION = questions.FALLS
SHOWS = "dynamics"
PHASES = 8


def measure(run: Run) -> Sign | Missing:
    loss, borders = training_loss(run), epoch_borders(run)
    if len(borders) < 4 or len(loss) < (len(borders) + 1) * PHASES:
        return Missing(ID, f"four epoch boundaries and {PHASES} training losses per epoch are needed")
    y = loss.ratios
    edges = [0, *np.searchsorted(loss.steps, borders).tolist(), len(loss)]
    # The first epoch falls because training begins; the last may be incomplete.
    shapes = [s for a, b in pairwise(edges[1:-1]) if (s := _shape(y[a:b])) is not None]
    if len(shapes) < 3:
        return Missing(ID, "fewer than three whole epochs after the first were recorded")
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
    onset = int(loss.steps[edges[1]]) if level >= 0.5 else None
    severity: Severity = "warning" if level >= 0.5 else "info"
    values = {"agreement": agreement, "share": share, "swing": swing, "epochs": len(shapes)}
    return Sign(ID, swing, level, text, onset, severity, values)


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
