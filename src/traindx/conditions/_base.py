"""What a condition is, and the decorator that declares one."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass, field, replace
from functools import cache
from importlib.resources import files
from inspect import getdoc
from types import ModuleType
from typing import Any

import numpy as np

from ..record import Run
from ..signs import Sign, Signs
from ..units import by_id, modules_of

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

HOLDS = 0.5  # the level from which a condition is said to hold

# How often a sign of this level is right, counted on curves of known truth (`python -m benchmarks.textbook --levels`).
CONFIDENCE = ((0.0, 0.0), (0.5, 0.7), (0.8, 0.93), (1.0, 0.98))


@dataclass(frozen=True)
class Remedy:
    """One standard move: what to do, what shows that it worked, and the code where it fits in a line or two.

    `treats` names the cause whose fix is this move with a number of its own: only one of the two is shown.
    """

    text: str
    verify: str = ""
    code: str | None = None
    treats: str = ""


@dataclass(frozen=True)
class Finding:
    """A condition that holds for a run.

    `bad`: the run is sick by it. `advice`: the run may be well with it. Neither: it is not sure enough for either.
    """

    id: str
    title: str
    level: float
    sign: Sign  # the measurement that establishes it
    evidence: tuple[str, ...]
    onset: int | None
    grave: bool
    bad: bool
    advice: bool
    cause: str | None = None
    remedies: tuple[Remedy, ...] = ()
    avoid: tuple[str, ...] = ()
    do_now: tuple[str, ...] = ()
    behind: tuple[str, str] | None = None
    follows_from: str | None = None
    beside: tuple[str, ...] = ()  # other grave conditions that hold: what lies behind them lies behind this one
    signs: tuple[str, ...] = ()  # all signs that it accounts for

    @property
    def confidence(self) -> float:
        return confidence_of(self.level)


Remedies = Callable[[Run, Signs], list[Remedy]]


@dataclass(frozen=True)
class Condition:
    """One condition, as the decorator `@condition(…)` of the function that gives its standard moves, in order.

    The function's docstring is the page. Title, meaning and gravity stand in conditions.toml, by id.
    `signs`: the measurements that establish it, any one of them. `follows`: further signs that only show the same.
    `bad_from`: the level from which the run is sick; None where it is advice. `passes`: it costs time or came back by
    itself, so others are named before it. `leads_over`: besides those of conditions.toml. `avoid`: what not to do.
    `behind`: the cheapest test for what lies behind it, and what that shows. `level`: a further demand, 0 to 1, on what
    the signs show. `advice`: whether the run is well all the same, so that this is advice.
    """

    id: str
    _: KW_ONLY
    signs: tuple[str, ...]
    bad_from: float | None
    avoid: tuple[str, ...]
    follows: tuple[str, ...] = ()
    leads_over: tuple[str, ...] = ()
    passes: bool = False
    behind: tuple[str, str] | None = None
    level: Callable[[Run, Signs], float] | None = None
    advice: Callable[[Run, Signs], bool] | None = None
    title: str = ""
    means: str = ""
    grave: bool = False
    cause: str | None = None
    page: str = ""
    remedies: Remedies = field(default=lambda _run, _signs: [])

    def __call__(self, remedies: Remedies) -> Condition:
        stated = _contract().get(self.id, {})
        led = (*stated.get("leads_over", ()), *self.leads_over)
        known = {name: stated[name] for name in ("title", "means", "grave", "cause") if name in stated}
        return replace(self, **known, leads_over=led, page=getdoc(remedies) or "", remedies=remedies)

    @property
    def said_last(self) -> bool:
        """Whether it is no more than a note: it is never bad, and it ends by itself where training goes on."""
        return self.passes and self.bad_from is None


def confidence_of(level: float) -> float:
    """How sure a measurement of this level is."""
    return float(np.interp(level, [at for at, _ in CONFIDENCE], [share for _, share in CONFIDENCE]))


condition = Condition  # reads well as a decorator


@cache
def _contract() -> dict[str, dict[str, Any]]:
    return tomllib.loads(files(__package__).joinpath("conditions.toml").read_text(encoding="utf-8"))


@cache
def all_conditions() -> dict[str, Condition]:
    """Every condition, by id, in the order of the contract."""
    modules = modules_of("traindx.conditions", defining=lambda module: bool(_units(module)))
    units = by_id(((unit.id, unit) for module in modules for unit in _units(module)), "conditions")
    return {name: units[name] for name in (*_contract(), *(n for n in units if n not in _contract()))}


def _units(module: ModuleType) -> list[Condition]:
    """The conditions that a module defines."""
    return [unit for unit in vars(module).values() if isinstance(unit, Condition)]


def find_condition(name: str) -> Condition | None:
    """The condition with that id; underscores and case do not matter."""
    return all_conditions().get(name.strip().lower().replace("_", "-"))
