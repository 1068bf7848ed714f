"""Initial weights against 1/sqrt(fan_in), the scale that keeps a signal's size: too large.

Kaiming's 1.4 is the largest usual; standard normal weights with 64 inputs give 8. The median layer counts, or one of
torch's layers far beyond all usual. Layers of one's own may scale their weights at run time, so there the level stops
at 0.6; and a single tensor of one's own may be a table of positions, which is no layer.
"""

from __future__ import annotations

from ...record import Run
from ...wording import num
from .. import checks, questions
from .._base import Missing, Sign, if_raised, ramp
from .._gains import fresh_gains
from .._tables import median

ID = "init-scale-large"
QUESTION = questions.FLOW
SHOWS = "condition"
RIVAL = ("signal", 1.5)
CHECK = checks.INITIAL_WEIGHTS
STANDARD = ("Linear", "Conv", "Bilinear", "RNN", "LSTM", "GRU", "MultiheadAttention", "LazyLinear", "LazyConv")


def measure(run: Run) -> Sign | Missing:
    gains = fresh_gains(run)
    gain = median(g for g, _ in gains)
    if gain is None:
        return Missing(ID, "no freshly initialised weight was looked at")
    largest, layer = max(gains, key=lambda pair: pair[0])
    standard = [g for g, p in gains if p.module.startswith(STANDARD)]
    level = max(ramp(gain, 2.0, 8.0, log=True), ramp(max(standard, default=0.0), 6.0, 60.0, log=True))
    if not standard:
        level = min(level, 0.6)
    return Sign(
        ID,
        gain,
        level,
        f"initial weight std is {num(gain)} times 1/sqrt(fan_in) (median of {len(gains)} layers; "
        f"largest {num(largest)} in `{layer.name}`; PyTorch's default is 0.58)",
        onset=0 if level >= 0.5 else None,
        severity=if_raised(level, "warning"),
        values={"median": gain, "most": largest, "layer": layer.name},
    )
