"""What a sign is, and the helpers that every sign may use."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from ..record.site import Site
from .checks import Check

if TYPE_CHECKING:
    from ..record import Run

Severity = Literal["critical", "warning", "info"]
# What a raised sign shows:
#   fault      a line of the program is wrong, caught in the act
#   condition  a property of data, weights or settings that often hurts, and may not
#   outcome    the run itself went badly, whatever the cause
#   success    only a run that works shows it
#   dynamics   how the training went: suggests causes, proves none
#   setting    a choice, neither good nor bad by itself
#   scope      whether this run is one to judge at all
#   excuse     why what another sign shows is harmless here
Shows = Literal["fault", "condition", "outcome", "success", "dynamics", "setting", "scope", "excuse"]


@dataclass(frozen=True)
class Sign:
    """One measurement.

    `value` is the number in the sign's own unit. `level` places it on the sign's scale: 0 is what ordinary
    healthy runs show, 1 is unmistakable; diagnosis reads levels, people read `text`.
    """

    id: str
    value: float
    level: float
    text: str
    onset: int | None = None
    severity: Severity = "info"
    values: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not 0.0 <= self.level <= 1.0:  # also refuses NaN
            raise ValueError(f"{self.id}: level {self.level} is not between 0 and 1")

    @property
    def raised(self) -> bool:
        return self.level >= 0.5


@dataclass(frozen=True)
class SignUnit:
    """A sign, as its module describes it.

    The module defines ID, QUESTION, SHOWS, `measure` and those of the others that apply, and its docstring says what
    the sign is `about`. A module with several signs (a quantity too high and too low) defines `SIGNS`, a tuple of these
    units, instead; each sign is then `about` what the docstring of its `measure` says.

    `core`: this sign alone can answer its question when it is normal. `bad_from`: the level from which the outcome is
    bad by itself. `doubt_from`: the level from which a run cannot be called healthy. `needs_time`: a short run cannot
    show it. `may_be_meant`: a healthy run may show it, by design or because the task allows no better. `earns`: when it
    is normal, learning stands out from noise. `do_now`: what helps whatever the cause, with this run's numbers.
    `check`: the check before training that it answers. `remedy`: one sentence on what to do about it. `rival`: a group
    of faults, and the log-odds that this one takes from causes which merely imitate it. `end`: it speaks of the end of
    the run, and is missing where looks of this kind (`step`, `light`, `deep` or `evaluation`) did not reach the end.
    `excuses`: signs that mean less where this one is raised, each with the level that it then counts for at most. They
    are measured all the same: `diagnosis/excuses.py` applies this, as evidence against the causes that rest on them.
    """

    id: str
    measure: Callable[[Run], Sign | Missing]
    question: str
    shows: Shows
    family: str = ""  # the package that the module lies in
    about: str = ""
    core: bool = False
    bad_from: float | None = None
    doubt_from: float | None = None
    needs_time: bool = False
    may_be_meant: bool = True
    earns: bool = False
    do_now: Callable[[Sign, Run], str] | None = None
    check: Check | None = None
    remedy: str = ""
    rival: tuple[str, float] | None = None
    end: str = ""
    excuses: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Missing:
    """The run does not hold what this sign needs; `reason` says what was lacking."""

    id: str
    reason: str


class Signs(Mapping[str, Sign]):
    """All signs of a run: those measured, by id, why the others are missing, and errors of traindx itself."""

    def __init__(
        self, found: Mapping[str, Sign], missing: Mapping[str, Missing], errors: Mapping[str, str] | None = None
    ) -> None:
        self._found = dict(found)
        self.missing = dict(missing)
        self.errors = dict(errors or {})

    def __getitem__(self, sign_id: str) -> Sign:
        return self._found[sign_id]

    def __iter__(self) -> Iterator[str]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)

    def level(self, sign_id: str) -> float | None:
        """The level, or None where the sign is missing."""
        sign = self._found.get(sign_id)
        return None if sign is None else sign.level

    def without(self, names: Collection[str]) -> Signs:
        """The same, with these signs missing."""
        left = {name: sign for name, sign in self._found.items() if name not in names}
        return Signs(left, {**self.missing, **{n: Missing(n, "not asked") for n in names}}, self.errors)

    def replaced(self, signs: Mapping[str, Sign]) -> Signs:
        """The same, with some of the measured signs replaced."""
        return Signs({**self._found, **signs}, self.missing, self.errors)

    def raised(self) -> list[Sign]:
        return [sign for sign in self._found.values() if sign.raised]


def ramp(value: float, normal: float, gross: float, *, log: bool = False) -> float:
    """Place `value` on a scale: 0 at `normal` (and beyond, on the healthy side), 1 at `gross`, linear between.

    `gross` may be below `normal` (for quantities that are bad when small). With `log`, linear in the logarithm.
    """
    if math.isnan(value):
        return 0.0
    if log:
        tiny = 1e-300
        value, normal, gross = (math.log(max(x, tiny)) for x in (value, normal, gross))
    if math.isinf(value):
        return 1.0 if (value > 0) == (gross > normal) else 0.0
    if gross == normal:  # both ends of the scale were computed, and are equal
        return 1.0 if value > gross else 0.0
    return min(1.0, max(0.0, (value - normal) / (gross - normal)))


def if_raised(level: float, severity: Severity) -> Severity:
    """The severity of a sign that is raised; a sign that is not raised informs only."""
    return severity if level >= 0.5 else "info"


def place(site: Any) -> str:
    """` (train.py:12)` where a site is known, else nothing."""
    found = site if isinstance(site, Site) else Site.of(site)
    return f" ({found})" if found else ""
