"""How a gradient changes along the longest chain of one nonlinearity (many layers, or a cell in time): fades, grows."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ...record import Run
from ...wording import num
from .. import questions
from .._base import Missing, Sign, SignUnit, if_raised, ramp
from .._tables import median, ordered, span, typical

FADE, GROW = "gradients-fade-along-chain", "gradients-grow-along-chain"
FEWEST = 3
SMALLEST = 1e-30  # a gradient that is gone has no logarithm


def fade(run: Run) -> Sign | Missing:
    """How much of the gradient is left at the beginning of a long chain: a cell that works through time, or many
    layers.

    A recurrent layer has one set of weights, so its gradient per layer shows nothing; what fades is the part that comes
    from early time steps. Healthy recurrences keep it within a few decades once they learn. As with depth, it must hold
    from the start and throughout: gradients that are lost later have another cause.
    """
    chain = _gradient_chain(run)
    if chain is None:
        return Missing(FADE, "no long chain of one nonlinearity was followed")
    level = ramp(-chain.start, 3.0, 6.0) * ramp(-chain.whole, 4.0, 8.0)
    words = f"by {num(10.0**chain.whole)} in all, by {num(chain.per_link)} each (about 1 is ideal)"
    return _sign(FADE, -chain.whole, level, chain, words)


def grow(run: Run) -> Sign | Missing:
    """How much a gradient grows towards the beginning of a long chain: a cell that works through time, or many layers.

    A sum over time adds one part for each step, which makes two decades of a hundred steps; more is growth from link to
    link. The largest of the start and the whole run counts: clipping and small steps may hold it down later.
    """
    chain = _gradient_chain(run)
    if chain is None:
        return Missing(GROW, "no long chain of one nonlinearity was followed")
    most = max(chain.start, chain.whole)
    words = f"by up to {num(10.0**most)} in all, by {num(chain.per_link)} each on average (about 1 is ideal)"
    return _sign(GROW, most, ramp(most, 3.0, 6.0), chain, words)


@dataclass(frozen=True)
class _Chain:
    """Decades that the gradient gains on its way back from the chain's end to its beginning."""

    length: float
    start: float  # in the first fifth of the looks
    whole: float

    @property
    def per_link(self) -> float:
        """The factor from one link to the next, going back."""
        return math.pow(10.0, self.whole / max(self.length - 1.0, 1.0))


def _gradient_chain(run: Run) -> _Chain | None:
    ratios = ordered(run.series("chain/gradient_ratio")).values
    length = typical(run, "chain/length")
    if len(ratios) < FEWEST or length is None:
        return None
    decades = np.log10(np.clip(ratios, SMALLEST, 1 / SMALLEST))
    start, whole = median(span(decades, 0.0, 0.2)), median(decades)
    return None if start is None or whole is None else _Chain(length, start, whole)


def _sign(sign_id: str, value: float, level: float, chain: _Chain, words: str) -> Sign:
    return Sign(
        sign_id,
        value,
        level,
        f"backpropagation through {num(chain.length)} time steps or layers scales the gradient {words}",
        onset=0 if level >= 0.5 else None,
        severity=if_raised(level, "critical"),
        values={"decades": chain.whole, "at_start": chain.start, "length": chain.length},
    )


SIGNS = (
    SignUnit(FADE, fade, questions.FLOW, "dynamics"),
    SignUnit(GROW, grow, questions.FLOW, "dynamics"),
)
