"""How much a gradient grows towards the beginning of a long chain: a cell that works through time, or many layers.

A sum over time adds one part for each step, which makes two decades of a hundred steps; more is growth from link to
link. The largest of the start and the whole run counts: clipping and small steps may hold it down later.
"""

from __future__ import annotations

from ...record import Run
from ...wording import num
from .. import questions
from .._base import Missing, Sign, if_raised, ramp
from .._chain import gradient_chain, per_link

ID = "gradients-grow-along-chain"
QUESTION = questions.FLOW
SHOWS = "dynamics"


def measure(run: Run) -> Sign | Missing:
    chain = gradient_chain(run)
    if chain is None:
        return Missing(ID, "no long chain of one nonlinearity was followed")
    most = max(chain.start, chain.whole)
    level = ramp(most, 3.0, 6.0)
    return Sign(
        ID,
        most,
        level,
        f"backpropagation through {num(chain.length)} steps scales the gradient by up to {num(10.0**most)}, "
        f"each step by {num(per_link(chain))} on average",
        onset=0 if level >= 0.5 else None,
        severity=if_raised(level, "critical"),
        values={"decades": chain.whole, "at_start": chain.start, "length": chain.length},
    )
