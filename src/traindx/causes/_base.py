"""What a cause is. `all_causes()` collects the modules: a docstring, which is the page, and these names.

    FAMILY = "learning-rate"            its id is the module's name, unless it says otherwise with ID
    TITLE = "The learning rate is too high"
    FOR = {"update-ratio": 2.0}         evidence for: sign id -> log-odds added at level 1
    REQUIRES = ("update-ratio",)        at least one of these must be raised for the cause to be named; if one of them
                                        shows a fault (`SHOWS` of the sign), the cause counts as seen
    EXPLAINS = ("double-softmax",)      faults that are seen with this one and are only its consequences (optional)
    SETTLED_BY = ("lr",)                verbs whose experiment would settle it (optional)
    ADVISORY = False                    advice only, never the verdict (optional)
    GAINS = False                       a run with it trains, and could train better: advice as long as the outcome is
                                        fine (optional)
    MISLEADS = "validation"             which curves mean nothing while it is there: `validation`, `all`, or none; all
                                        for faults of the family `loss` unless they say otherwise (optional)
    def possible(run) -> bool           whether a run like this can have it at all: class imbalance takes classes
                                        (optional; true)
    def fix(run, signs) -> Fix          the change, with this run's own numbers and lines

Reports quote the page, so these parts of it stand on their own, one or two sentences each (`_sections.py`):

    the first paragraph                 the definition
    "## What not to do"                 a list; reports print the first two
    "## Verify"                         how to see that the fix worked; reports print the first paragraph
    "## References"                     papers, documentation pages, book sections; reports print the first

A module without such a page gives them as MEANS, AVOID (a tuple of sentences), VERIFY and REFERENCE, which are used
instead of the page where they exist.

The weights in FOR are what an experienced engineer would say; `benchmarks/accuracy` moves them within bounds to fit
the corpus, and never flips their direction. What speaks against a cause needs no list: a required sign that is normal,
and one rule for all of them, that a fault which was seen accounts for what could only be inferred.
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
from ._pages import bullets, first_paragraph, section

PITFALLS = 2  # entries of "What not to do" that a report has room for; the page has them all

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
    requires: tuple[str, ...]
    explains: tuple[str, ...]
    settled_by: tuple[str, ...]
    advisory: bool
    gains: bool
    misleads: str
    avoid: tuple[str, ...]
    verify: str
    reference: str
    possible: Callable[[Run], bool]
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
    page = module.__doc__ or ""
    return Cause(
        id=getattr(module, "ID", module.__name__.rpartition(".")[2].replace("_", "-")),
        family=module.FAMILY,
        title=module.TITLE,
        means=getattr(module, "MEANS", first_paragraph(page)),
        page=page,
        supports=module.FOR,
        requires=tuple(getattr(module, "REQUIRES", ())),
        explains=tuple(getattr(module, "EXPLAINS", ())),
        settled_by=tuple(getattr(module, "SETTLED_BY", ())),
        advisory=bool(getattr(module, "ADVISORY", False)),
        gains=bool(getattr(module, "GAINS", False)),
        misleads=getattr(module, "MISLEADS", "all" if module.FAMILY == "loss" else ""),
        avoid=tuple(getattr(module, "AVOID", bullets(section(page, "What not to do"))[:PITFALLS])),
        verify=getattr(module, "VERIFY", first_paragraph(section(page, "Verify"))),
        reference=getattr(module, "REFERENCE", "".join(bullets(section(page, "References"))[:1]).rstrip(".")),
        possible=getattr(module, "possible", lambda _run: True),
        fix=module.fix,
    )


def find_cause(name: str) -> Cause | None:
    """The cause with that id; underscores and case do not matter."""
    return all_causes().get(name.strip().lower().replace("_", "-"))
