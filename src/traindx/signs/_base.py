"""What a sign is, and the helpers that every sign may use."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import KW_ONLY, dataclass, field, replace
from functools import wraps
from inspect import getdoc
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
Shows = Literal["fault", "condition", "outcome", "success", "dynamics", "setting", "scope"]
SEVERITY: dict[str, Severity] = {
    "fault": "critical",
    "outcome": "critical",
    "condition": "warning",
    "dynamics": "warning",
}
CLEAR = 0.7  # the level from which a sign still warns in spite of an excuse
RAISED = 0.5  # the level from which a sign is raised: half way between ordinary and unmistakable


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
        return self.level >= RAISED


@dataclass(frozen=True)
class Fact:
    """Something that confirms or contradicts a claim.

    `holds` looks it up: it returns the sentence for this run where the fact holds, else None. Without it `measure`
    itself demands a witness, or leaves out what a refuter names.
    """

    says: str
    holds: Callable[[Run, Sign], str | None] | None = None


@dataclass(frozen=True)
class Scale:
    """The level of a value: 0 up to `normal`, 1 from `gross`, linear between (with `log`, in the logarithm).

    `gross` may lie below `normal`, for what is bad when small.
    """

    normal: float
    gross: float
    log: bool = False

    def level(self, value: float) -> float:
        return ramp(value, self.normal, self.gross, log=self.log)

    @property
    def raised_from(self) -> float:
        """The value at which the sign is raised."""
        if self.log:
            return math.sqrt(self.normal * self.gross)
        return (self.normal + self.gross) / 2


@dataclass(frozen=True)
class Unless:
    """What makes this sign harmless in this run: as far as it `holds` (0 to 1), the sign counts for `most` at most.

    What bears on several signs is a function (`_excuses.py`), which they name.
    """

    holds: float
    why: str
    most: float = 0.0


@dataclass(frozen=True)
class Measured:
    """What the function of a sign found: the value in its own unit, and a sentence that holds whatever the level is.

    `level`: where the sign's scale does not say it all. A sign without a scale has its value as level. `onset` and
    `severity` count where the sign is raised; `severity` only if it is another than the sign's.
    """

    value: float
    text: str
    level: float | None = None
    onset: int | None = None
    severity: Severity | None = None
    values: Mapping[str, Any] = field(default_factory=dict)
    unless: Unless | None = None


@dataclass(frozen=True)
class SignUnit:
    """A sign: what is known about it, and, as the decorator `@sign(…)` of a function, how it is measured.

    The function returns what it `Measured`, or the reason why it cannot be measured; its docstring says what the sign
    is `about`.

    `scale`: the level of the value, where nothing else bears on it. `severity`: of a raised sign, if not what
    `SEVERITY` says of its kind. `from_start`: a raised sign holds from step 0 on.
    `core`: this sign alone can answer its question when it is normal. `bad_from`: the level from which the outcome is
    bad by itself. `doubt_from`: the level from which a run cannot be called healthy. `needs_time`: a short run cannot
    show it. `may_be_meant`: a healthy run may show it, by design or because the task allows no better. `earns`: when it
    is normal, learning stands out from noise. `do_now`: what helps whatever the cause, with this run's numbers.
    `check`: the check before training that it answers. `remedy`: one sentence on what to do about it. `end`: it
    speaks of the end of the run, and is missing where looks of this kind (`step`, `light`, `deep` or `evaluation`) did
    not reach the end.
    `unless`: what makes it harmless, each with the level that the sign then counts for at most. Its value stays, and
    its text says why, which is evidence against the causes that rest on it.
    `proof`, `witnesses`, `refuters`: what a sign that shows a fault rests on (`_grounds.py`).
    """

    id: str
    question: str
    shows: Shows
    scale: Scale | None = None
    _: KW_ONLY
    severity: Severity | None = None
    from_start: bool = False
    core: bool = False
    bad_from: float | None = None
    doubt_from: float | None = None
    needs_time: bool = False
    may_be_meant: bool = True
    earns: bool = False
    do_now: Callable[[Sign, Run], str] | None = None
    check: Check | None = None
    remedy: str = ""
    end: str = ""
    unless: Mapping[Callable[[Run], Unless | None], float] = field(default_factory=dict)
    proof: str = ""
    witnesses: tuple[Fact, ...] = ()
    refuters: tuple[Fact, ...] = ()
    measure: Callable[[Run], Sign | Missing] = field(default=lambda _run: Missing("", "nothing measures it"))
    about: str = ""
    family: str = ""  # the package that its module lies in

    def __call__(self, find: Callable[[Run], Measured | str]) -> SignUnit:
        """The unit that is measured by this function."""

        @wraps(find)
        def measure(run: Run) -> Sign | Missing:
            found = find(run)
            if isinstance(found, str):
                return Missing(self.id, found)
            shared = ((excuse(run), most) for excuse, most in self.unless.items())
            excuses = [replace(excuse, most=most) for excuse, most in shared if excuse is not None]
            return self._sign(found, [found.unless, *excuses] if found.unless else excuses)

        # A third party's module at the top lies in no package.
        family = find.__module__.rpartition(".")[0].rpartition(".")[2]
        return replace(self, measure=measure, about=getdoc(find) or "", family=family)

    def _sign(self, found: Measured, excuses: list[Unless]) -> Sign:
        level = found.level
        if level is None:
            level = self.scale.level(found.value) if self.scale else float(found.value)
        text, values, counted = found.text, found.values, level
        for excuse in excuses:
            counted = float(counted - excuse.holds * max(0.0, counted - excuse.most))
        said = [excuse.why.rstrip(".") for excuse in excuses if excuse.holds >= RAISED and counted < level]
        if level >= RAISED and said:
            text, values = f"{'; '.join([text.rstrip('.'), *said])}.", {**values, "excused_by": said}
        if counted < RAISED:
            return Sign(self.id, found.value, counted, text, values=values)
        onset = 0 if self.from_start else found.onset
        severity = found.severity or self.severity or SEVERITY.get(self.shows, "info")
        if counted < level and severity != "info":
            severity, level = "warning" if counted >= CLEAR else "info", counted
        return Sign(self.id, found.value, level, text, onset, severity, values)


sign = SignUnit  # reads well as a decorator


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

    def highest(self, *names: str) -> float:
        """The highest of these levels; a missing sign counts as 0."""
        return max((self._found[name].level for name in names if name in self._found), default=0.0)

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
    return severity if level >= RAISED else "info"


def place(site: Any) -> str:
    """` (train.py:12)` where a site is known, else nothing."""
    found = site if isinstance(site, Site) else Site.of(site)
    return f" ({found})" if found else ""
