"""Operations in a hand-written loss that are not finite everywhere: log, division, root, power, exp, norm. 1 or 0.

A choice, not a fault: guarded by an eps they are harmless. It matters once a loss is not finite.
"""

from __future__ import annotations

from ...record import Run
from ...record.values import texts
from ...wording import listed
from .. import questions
from .._base import Missing, Sign, place

ID = "risky-math"
QUESTION = questions.LOSS_INPUTS
SHOWS = "setting"
RISKY = frozenset(("log", "log2", "log10", "div", "sqrt", "rsqrt", "pow", "exp", "norm", "acos", "asin"))


def measure(run: Run) -> Sign | Missing:
    known = [call for call in run.training_losses if "ops" in call.facts]
    if not known:
        return Missing(ID, "the operations of the loss are not known")
    risky = [(call, found) for call in known if (found := [op for op in texts(call.facts["ops"]) if op in RISKY])]
    if not risky:
        return Sign(ID, 0.0, 0.0, "the loss takes no log, division, root, power, exp or norm")
    call, found = risky[0]
    return Sign(ID, float(len(found)), 1.0, f"the loss is hand-written and uses {listed(found)}{place(call.site)}")
