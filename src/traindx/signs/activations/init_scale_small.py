"""Initial weights against 1/sqrt(fan_in), the scale that keeps a signal's size: too small.

torch's default gives 0.58, Xavier 1, Kaiming 1.4; the median hidden layer counts, for last layers are made small on
purpose. Where norm layers restore the scale, small weights (the 0.02 of many transformers) do no harm, and there is
four times as much room.
"""

from __future__ import annotations

from ...record import Run
from ...wording import num
from .. import checks, questions
from .._base import Missing, Sign, if_raised, ramp
from .._gains import fresh_gains, normalised
from .._tables import median

ID = "init-scale-small"
QUESTION = questions.FLOW
SHOWS = "condition"
RIVAL = ("signal", 2.0)
CHECK = checks.INITIAL_WEIGHTS


def measure(run: Run) -> Sign | Missing:
    gains = fresh_gains(run)
    gain = median(g for g, _ in (gains[:-1] or gains))
    if gain is None:
        return Missing(ID, "no freshly initialised weight was looked at")
    level = ramp(gain, 0.05, 0.005, log=True) if normalised(run) else ramp(gain, 0.2, 0.03, log=True)
    smallest, layer = min(gains, key=lambda pair: pair[0])
    return Sign(
        ID,
        gain,
        level,
        f"initial weight std is {num(gain)} times 1/sqrt(fan_in) (median of {len(gains)} layers; "
        f"smallest {num(smallest)} in `{layer.name}`; PyTorch's default is 0.58)",
        onset=0 if level >= 0.5 else None,
        severity=if_raised(level, "warning"),
        values={"median": gain, "least": smallest, "layer": layer.name},
    )
