"""What a cause is. A cause's module defines these names; `all_causes()` collects them.

    ID = "lr-too-high"                  the public, stable id
    FAMILY = "learning-rate"
    TITLE = "The learning rate is too high"
    MEANS = "..."                       one sentence: the definition
    FOR = {"update-ratio": 2.0}         evidence for: sign id -> log-odds added at level 1
    AGAINST = {"grads-kept": 3.0}       evidence against: sign id -> log-odds taken away at level 1
    REQUIRES = ("update-ratio",)        at least one of these must be raised for the cause to be named; if one of them
                                        shows a fault (`SHOWS` of the sign), the cause counts as seen
    EXPLAINS = ("exploding-gradients",) causes that this one imitates: when it is seen, they are its consequences
    SETTLED_BY = ("lr",)                verbs whose experiment would settle it (optional)
    ADVISORY = False                    advice only, never the verdict (optional)
    GAINS = False                       a run with it trains, and could train better: advice as long as the outcome is
                                        fine (optional)
    MISLEADS = "validation"             which curves mean nothing while it is there: `validation`, `all`, or none; all
                                        for faults of the family `loss` unless they say otherwise (optional)
    AVOID = ("...",)                    what not to do
    VERIFY = "..."                      how to see that the fix worked
    REFERENCE = "..."                   paper, documentation page or book section
    def fix(run, signs) -> Fix          the change, with this run's own numbers and lines

The weights in FOR and AGAINST are what an experienced engineer would say; `diagnosis/fitting.py` moves them
within bounds to fit the zoo's corpus, and never flips their direction.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from types import ModuleType
from typing import Any, Literal

from ..record import Run
from ..record.site import Site as Site
from ..signs import Signs, all_signs
from ..units import by_id, modules_of

Safety = Literal["safe", "changes-result", "costly"]


@dataclass(frozen=True)
class Fix:
    """What to change.

    `patch` is a unified diff relative to the script's folder, for `patch -p1`; then `code` holds the new lines and
    `location` the first line that changes. Without a patch the place is not known: `code` is a pattern to adapt, and
    `location` at most the nearest line that the run names. `sets` holds the settings that the fix writes, by name: an
    experiment on this fix uses the same numbers.
    """

    summary: str
    code: str
    location: Site | None = None
    safety: Safety = "changes-result"
    patch: str | None = None
    sets: Mapping[str, Any] = field(default_factory=dict)
    argv: tuple[str, ...] = ()  # the new arguments, where the value comes from the command line (masked as recorded)


@dataclass(frozen=True)
class Cause:
    """One cause, as its module defines it."""

    id: str
    family: str
    title: str
    means: str
    page: str
    supports: Mapping[str, float]
    opposes: Mapping[str, float]
    requires: tuple[str, ...]
    explains: tuple[str, ...]
    settled_by: tuple[str, ...]
    advisory: bool
    gains: bool
    misleads: str
    avoid: tuple[str, ...]
    verify: str
    reference: str
    fix: Callable[[Run, Signs], Fix]

    @cached_property
    def seen_by(self) -> tuple[str, ...]:
        """Required signs that show the fault, or the condition that is the cause, rather than an effect of it."""
        return tuple(sign for sign in self.requires if all_signs()[sign].shows in ("fault", "condition"))

    @cached_property
    def caught_by(self) -> tuple[str, ...]:
        """Required signs that catch the program in the act."""
        return tuple(sign for sign in self.requires if all_signs()[sign].shows == "fault")


@cache
def all_causes() -> dict[str, Cause]:
    """Every cause, by id."""
    causes = map(_cause, modules_of("traindx.causes", defining="FAMILY"))
    return by_id(((cause.id, cause) for cause in causes), "causes")


def _cause(module: ModuleType) -> Cause:
    return Cause(
        id=module.ID,
        family=module.FAMILY,
        title=module.TITLE,
        means=module.MEANS,
        page=module.__doc__ or "",
        supports=module.FOR,
        opposes=getattr(module, "AGAINST", {}),
        requires=tuple(getattr(module, "REQUIRES", ())),
        explains=tuple(getattr(module, "EXPLAINS", ())),
        settled_by=tuple(getattr(module, "SETTLED_BY", ())),
        advisory=bool(getattr(module, "ADVISORY", False)),
        gains=bool(getattr(module, "GAINS", False)),
        misleads=getattr(module, "MISLEADS", "all" if module.FAMILY == "loss" else ""),
        avoid=tuple(module.AVOID),
        verify=module.VERIFY,
        reference=module.REFERENCE,
        fix=module.fix,
    )


def find_cause(name: str) -> Cause | None:
    """The cause with that id; underscores and case do not matter."""
    return all_causes().get(name.strip().lower().replace("_", "-"))
