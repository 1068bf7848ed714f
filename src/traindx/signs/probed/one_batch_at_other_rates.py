"""At which other learning rate the loop learns one batch, where it does not at its own: a higher one, a lower one."""

from __future__ import annotations

from ...record import Run
from ...record.values import number, text
from ...wording import num
from .. import questions
from .._base import Missing, Sign, SignUnit, if_raised

HIGHER, LOWER = "one-batch-needs-higher-rate", "one-batch-needs-lower-rate"


def higher(run: Run) -> Sign | Missing:
    """Whether one batch is learnt at a higher learning rate than the script's, and not at the script's own."""
    return _at_other_rate(HIGHER, run, lower=False)


def lower(run: Run) -> Sign | Missing:
    """Whether one batch is learnt at a lower learning rate than the script's, and not at the script's own."""
    return _at_other_rate(LOWER, run, lower=True)


def _at_other_rate(sign_id: str, run: Run, *, lower: bool) -> Sign | Missing:
    """Level 1 where one batch is learnt at a lower (or higher) learning rate and not at the script's own."""
    own = text(run.fact("memorise").get("result"))
    if own == "learnt":
        return Sign(sign_id, 1.0, 0.0, "one batch is learned at the script's learning rate")
    tried = [(number(other.get("factor")), text(other.get("result"))) for other in run.entries("memorise/other_rates")]
    known = [(factor, result) for factor, result in tried if factor and (factor < 1) == lower and result != "unknown"]
    if not known:
        return Missing(sign_id, "one batch was not trained at other learning rates")
    learnt = [factor for factor, result in known if result == "learnt"]
    level = 1.0 if learnt and own in ("stuck", "not finite") else 0.0
    factor = learnt[0] if learnt else known[0][0]
    words = f"one batch is {'' if learnt else 'not '}learned at {num(factor)} times the learning rate"
    if level:
        words += ", but not at the script's own learning rate"
    return Sign(sign_id, factor, level, words, onset=0 if level else None, severity=if_raised(level, "critical"))


SIGNS = (
    SignUnit(HIGHER, higher, questions.EXPERIMENTS, "dynamics"),
    SignUnit(LOWER, lower, questions.EXPERIMENTS, "dynamics"),
)
