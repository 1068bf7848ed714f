"""How unlike the scales of the input features are: the largest deviation over a small one.

Measured where features are known one by one (at most 64), constant ones left out. The small end is the tenth
percentile, so that one rare feature or a border pixel does not decide. Two decades are ordinary in raw tables that
still train; four make the small features invisible. Where a model scales its inputs itself, what its first layer gets
counts.
"""

from __future__ import annotations

from ...record import Run
from ...record.values import numbers
from ...wording import num
from .. import checks, questions
from .._base import Missing, Sign, if_raised, ramp
from .._inputs import first_layers, real_inputs

ID = "input-scale-spread"
QUESTION = questions.DATA
SHOWS = "condition"
RIVAL = ("scale", 1.0)
CHECK = checks.SCALES


def measure(run: Run) -> Sign | Missing:
    stats = next((layer for layer in first_layers(run) if numbers(layer.get("feature_std"))), real_inputs(run, "train"))
    spreads = sorted(spread for spread in numbers((stats or {}).get("feature_std")) if spread > 1e-12)
    if len(spreads) < 2:
        return Missing(ID, "the deviation of single features is not known")
    small, large = spreads[len(spreads) // 10], spreads[-1]
    ratio = large / small
    level = ramp(ratio, 100.0, 1e4, log=True)
    return Sign(
        ID,
        ratio,
        level,
        f"std of {len(spreads)} input features runs from {num(small)} to {num(large)}, a factor of {num(ratio)} "
        "(up to 100 is common)",
        onset=0 if level >= 0.5 else None,
        severity=if_raised(level, "warning"),
        values={"smallest": spreads[0], "largest": large},
    )
