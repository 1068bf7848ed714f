"""Whether the model scores rarer cases a little above common ones, although its answer may be the common one for all.

Half of the pairs in order is a guess. Where a weak signal meets skewed labels, the likeliest answer is the common class
for nearly everybody, and what was learnt shows only in the order of the scores (the area under the ROC curve). A few
rare cases make it uncertain: two standard errors are taken off. Where nearly all pairs are in order the signal is
strong, and the answers could follow it.
"""

from __future__ import annotations

import math

from ...record import Run
from .._base import Missing, Sign, ramp
from .._facts import fact, mapping, number
from .._words import num, pct

ID = "weak-signal-ranked"
FEWEST = 10


def measure(run: Run) -> Sign | Missing:
    ranking = mapping(fact(run, "targets/train").get("ranking"))
    share, rarer = number(ranking.get("share")), number(ranking.get("rarer"))
    if share is None or rarer is None or rarer < FEWEST:
        return Missing(ID, "too few rarer cases were compared with common ones")
    # The share's standard error is at most that of so many coin tosses.
    certain = share - 2 * 0.5 / math.sqrt(rarer) * 2 * math.sqrt(max(share * (1 - share), 0.0))
    level = ramp(certain, 0.52, 0.6) * ramp(share, 0.97, 0.9)
    return Sign(
        ID,
        share,
        level,
        f"late in the run {pct(share)} of the pairs of a rarer and a common case are in the right order "
        f"({num(rarer)} rarer cases; a guess gets 50 %)",
        values={"share": share, "rarer": rarer},
    )
