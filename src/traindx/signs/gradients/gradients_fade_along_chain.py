"""How much of the gradient is left at the beginning of a long chain: a cell that works through time, or many layers.

A recurrent layer has one set of weights, so nothing shows in its gradient by layer; what fades is the part that comes
from early steps. Healthy recurrences keep it within a few decades once they learn. As with depth, it must be so from
the start and throughout: what is lost later has another cause.
"""

from __future__ import annotations

from ...record import Run
from ...wording import num
from .. import questions
from .._base import Missing, Sign, if_raised, ramp
from .._chain import gradient_chain, per_link

ID = "gradients-fade-along-chain"
QUESTION = questions.FLOW
SHOWS = "dynamics"


def measure(run: Run) -> Sign | Missing:
    chain = gradient_chain(run)
    if chain is None:
        return Missing(ID, "no long chain of one nonlinearity was followed")
    level = ramp(-chain.start, 3.0, 6.0) * ramp(-chain.whole, 4.0, 8.0)
    return Sign(
        ID,
        -chain.whole,
        level,
        f"backpropagation through {num(chain.length)} steps scales the gradient by {num(10.0**chain.whole)}, "
        f"each step by {num(per_link(chain))}",
        onset=0 if level >= 0.5 else None,
        severity=if_raised(level, "critical"),
        values={"decades": chain.whole, "at_start": chain.start, "length": chain.length},
    )
