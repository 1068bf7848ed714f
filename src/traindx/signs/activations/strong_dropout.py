"""The largest dropout probability in use. Up to 0.5 is ordinary; at 0.8 a fifth of the signal is left."""

from __future__ import annotations

from ...record import Run
from ...record.values import number
from ...wording import num
from .. import questions
from .._base import Missing, Sign, if_raised, ramp

ID = "strong-dropout"
QUESTION = questions.CAPACITY
SHOWS = "setting"


def measure(run: Run) -> Sign | Missing:
    known = run.modules
    if not known:
        return Missing(ID, "the model's modules were not seen")
    drops = [(number(m.settings.get("p")), m) for m in known if m.dropout and m.order is not None]
    rates = [(p, module) for p, module in drops if p is not None]
    called = run.facts.get("dropout")  # dropout written as a function
    functional = [p for value in (called if isinstance(called, list) else []) if (p := number(value)) is not None]
    if not rates and not functional:
        return Sign(ID, 0.0, 0.0, "the model uses no dropout")
    most = max([*functional, *(p for p, _ in rates)])
    where = next((f"`{module.name or module.type}`" for p, module in rates if p == most), "a functional dropout call")
    level = ramp(most, 0.55, 0.8)
    return Sign(
        ID,
        most,
        level,
        f"the strongest dropout is p={num(most)} in {where} (0.1 to 0.5 is typical)",
        severity=if_raised(level, "warning"),
        values={"p": most, "layers": len(rates)},
    )
