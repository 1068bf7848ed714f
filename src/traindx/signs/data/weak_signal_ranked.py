"""Whether the scores rank rare samples above common ones, although every prediction may be the common class.

The measure is the area under the ROC curve; 50 % is chance. With a weak signal and skewed labels, the common class is
the best prediction for nearly every sample, and what was learned shows only in the ranking of the scores. Few rare
samples make it uncertain, so two standard errors are subtracted. From four of five pairs on, the signal is strong
enough that predictions could follow it.
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
