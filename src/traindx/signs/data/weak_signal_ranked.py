"""Whether the model scores rarer cases a little above common ones, although its answer may be the common one for all.

Half of the pairs in order is a guess. Where a weak signal meets skewed labels, the likeliest answer is the common class
for nearly everybody, and what was learnt shows only in the order of the scores (the area under the ROC curve). A few
rare cases make it uncertain: two standard errors are taken off. Where four of five pairs are in order the signal is
strong enough that answers could follow it.
"""

from __future__ import annotations

from ...record import Run
from ...wording import num, percent
from .. import questions
from .._base import Missing, Sign
from .._labels import ranking

ID = "weak-signal-ranked"
QUESTION = questions.DATA
SHOWS = "setting"


def measure(run: Run) -> Sign | Missing:
    found = ranking(run)
    if found is None:
        return Missing(ID, "too few rare samples were compared with common ones")
    return Sign(
        ID,
        found.share,
        found.weak,
        f"late in the run the scores rank a rare sample above a common one in {percent(found.share)} of pairs (the ROC "
        f"AUC; {num(found.rarer)} rare samples; chance is 50 %)",
        values={"share": found.share, "rarer": found.rarer},
    )
