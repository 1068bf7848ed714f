"""The parts of an answer in their order, each a list of entries; text, Markdown and HTML only lay them out.

The order is that of every answer: the fix or the standard remedies, why, what else is wrong, what may lie behind it,
and what was looked at. A sentence is said once. What decides nothing is kept back: counted, and shown on request.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from ..causes import Fix
from ..diagnosis import Diagnosis
from ..facts import unusual_of
from ..wording import counted
from ._states import judged

SAFETY = {
    "safe": "safe: nothing else changes",
    "changes-result": "changes the result",
    "costly": "costs time or memory",
}
SEVERITIES = {"critical": "red", "warning": "yellow", "info": None}


@dataclass(frozen=True)
class Entry:
    """One item: a sentence, what stands before it (`87 %`, `1.`, `+`), code below it, and what supports it."""

    text: str
    mark: str = ""
    code: Sequence[str] = ()
    diff: bool = False
    place: str = ""  # file:line of the code
    below: Sequence[str] = ()
    style: str | None = None  # the mark's colour


@dataclass(frozen=True)
class Section:
    """Entries under a label. Without --why only the first `most` are shown, and the others counted by their `noun`."""

    label: str
    entries: Sequence[Entry]
    most: int | None = None
    noun: str = ""  # of one entry; empty for the label itself
    apart: bool = False  # begins after an empty line

    @property
    def title(self) -> str:
        return self.label.capitalize()

    def shown(self, why: bool) -> Sequence[Entry]:
        return self.entries if why or self.most is None else self.entries[: self.most]


CHART = Section("LOSS", ())
ONE_SCREEN = 50  # lines that an answer takes, unless its fix alone takes more

# What an answer that is longer than a screen does without, in this order: so many entries of a section remain.
YIELDING = (
    ("UNUSUAL", 1),
    ("ADVICE", 0),
    ("READ AS", 0),
    ("LOOKS", 0),
    ("SIGNS", 1),
    ("ALTERNATIVES", 2),
    ("AVOID", 1),
    ("REMEDIES", 1),
    ("ALSO", 2),
    ("EVIDENCE", 2),
    ("SIGNS", 0),
    ("ALTERNATIVES", 0),
    ("ALSO", 1),
    ("EVIDENCE", 1),
)


def fitted(
    parts: list[Section], draw: Callable[[list[Section]], list[str]], height: Callable[[list[str]], int] = len
) -> list[str]:
    """The lines that `draw` makes of the sections, of fewer entries where they are higher than a screen."""
    drawn = draw(parts)
    for label, remaining in YIELDING:
        if height(drawn) <= ONE_SCREEN:
            break
        parts = _shortened(parts, label, remaining)
        drawn = draw(parts)
    return drawn


def _shortened(parts: Sequence[Section], label: str, most: int) -> list[Section]:
    return [
        replace(part, most=most) if part.label == label and (part.most is None or part.most > most) else part
        for part in parts
    ]


def lines(texts: Iterable[str], mark: str = "- ", style: str | None = None) -> list[Entry]:
    return [Entry(text, mark, style=style) for text in texts]


def fix_entry(fix: Fix, told: str = "") -> Entry:
    """A diff of the user's own file, or a pattern if the place is unknown."""
    place = str(fix.location) if fix.location else ""
    return Entry(f"{told}{fix.summary} ({SAFETY[fix.safety]})", code=change(fix), diff=bool(fix.patch), place=place)


def change(fix: Fix) -> list[str]:
    """The diff without its file names, which the report shows separately; without a diff, the code pattern."""
    if fix.patch:
        return [line for line in fix.patch.rstrip().splitlines() if not line.startswith(("--- ", "+++ "))]
    return fix.code.strip("\n").splitlines()


def answer(diagnosis: Diagnosis) -> list[Section]:
    """All parts of the answer below the headline. `CHART` stands where each format draws its curves."""
    from ._findings import (  # here, because both are made of sections
        additional,
        alternatives,
        beside,
        candidates,
        cause,
        condition,
        solved,
        told_in_full,
        treated,
    )

    parts: list[Section] = []
    head = [Section("DO NOW", lines(diagnosis.do_now, style=judged(diagnosis).colour), 3)]
    if diagnosis.treatment is not None:  # what was proven stands before the curve
        proof, *parts = treated(diagnosis.treatment, diagnosis.summary)
        head.append(proof)
    if diagnosis.headline.kind == "condition" and diagnosis.conditions:
        parts += condition(diagnosis)
    elif told_in_full(diagnosis):
        parts += [*cause(diagnosis), *additional(diagnosis), *beside(diagnosis.conditions), *alternatives(diagnosis)]
    elif diagnosis.verdict == "healthy":
        parts += [
            Section("CHECKED", lines(diagnosis.checked), 8, "check", apart=True),
            *beside(diagnosis.conditions[1:]),
        ]
    elif diagnosis.verdict != "out-of-scope":
        parts += [*([_signs(diagnosis)] if diagnosis.verdict == "inconclusive" else []), *candidates(diagnosis)]
    parts += [_signs(diagnosis), *_blind(diagnosis)]  # signs that were told already are left out below
    if diagnosis.similar:
        similar = f"{solved(diagnosis.similar)} (traindx history show {diagnosis.similar.id})"
        parts.append(Section("SIMILAR CASE", [Entry(similar)], apart=True))
    parts += [
        Section("LOOKS", lines(diagnosis.looks), 2, "look"),
        Section("ADVICE", _advice(diagnosis), 2, "suggestion"),
        Section("UNUSUAL", lines(_unusual(diagnosis)), 2 if diagnosis.verdict == "sick" else 3, "unusual fact"),
        _asked(diagnosis),
        *([Section("CHECKED", lines(diagnosis.checked), 0, "check")] if diagnosis.verdict != "healthy" else []),
        _read_as(diagnosis),
    ]
    terms = Section("TERMS", lines([diagnosis.terms] if diagnosis.terms else [], ""))
    return [*head, CHART, *_once([terms, *parts], diagnosis.summary)]


def more(parts: Sequence[Section]) -> str:
    """What is not shown without --why, in one line; empty if nothing is."""
    left: Counter[str] = Counter()
    for part in parts:
        left[part.noun or part.label.lower()] += len(part.entries) - len(part.shown(why=False))
    counts = [counted(count, noun) for noun, count in left.items() if count]
    return f"{', '.join(counts)}: shown by --why" if counts else ""


def _signs(diagnosis: Diagnosis) -> Section:
    """Raised signs that no condition of the answer accounts for; the others repeat it."""
    accounted = {name for found in diagnosis.conditions for name in (found.sign.id, *found.signs)}
    unexplained = diagnosis.verdict in ("inconclusive", "out-of-scope") and diagnosis.headline.kind != "condition"
    severe = [s for s in diagnosis.symptoms if s.severity != "info" or unexplained]
    shown = [s for s in severe if s.id not in accounted and s.text not in diagnosis.summary]
    entries = [Entry(sign.text, "- ", style=SEVERITIES[sign.severity]) for sign in shown]
    return Section("SIGNS", entries, 3, "sign", apart=True)


def _advice(diagnosis: Diagnosis) -> list[Entry]:
    """What a healthy run could do better: the first move of each condition, then the causes that are no condition."""
    fine = diagnosis.verdict == "healthy"
    moves = [f"{found.title}: {found.remedies[0].text}" for found in diagnosis.conditions if fine and found.remedies]
    measured = {found.cause for found in diagnosis.conditions}
    return lines(
        [*moves, *(f"{advice.text} ({advice.cause})" for advice in diagnosis.advice if advice.cause not in measured)]
    )


def next_commands(diagnosis: Diagnosis) -> list[tuple[str, str]]:
    """The commands to run next and what they show; for a log, the cheapest test of what lies behind its condition."""
    named = next((c for c in diagnosis.conditions if c.id == diagnosis.headline.id and c.behind is not None), None)
    if named is not None and named.behind is not None and diagnosis.kind not in ("observed", "interview"):
        command, shows = named.behind
        return [(command, f"to find what lies behind it: {shows}")]
    return [
        (test.command, test.why or (f"tells apart: {', '.join(test.settles)}" if test.settles else ""))
        for test in diagnosis.next_tests
    ]


def _blind(diagnosis: Diagnosis) -> list[Section]:
    """What the verdict is blind to: said where the answer rests on it, else on request."""
    rests = diagnosis.verdict == "healthy" or (
        diagnosis.verdict == "inconclusive" and diagnosis.headline.kind != "condition"
    )
    entries = lines(diagnosis.not_measured)
    return [Section("NOT MEASURED", entries, 4 if rests else 0, "blind spot")]


def _asked(diagnosis: Diagnosis) -> Section:
    """Questions whose answers are not among the signs."""
    told = {sign.text for sign in diagnosis.symptoms}
    asked = [a for a in diagnosis.questions if a.finding not in told and a.finding not in diagnosis.summary]
    return Section("ASKED", lines(f"{a.question} {a.finding}" for a in asked), 0, "question")


def _unusual(diagnosis: Diagnosis) -> list[str]:
    """At most three of the most unusual facts; a sentence on it where something was compared and none is unusual."""
    compared = sum(fact.reference is not None for fact in diagnosis.facts)
    found = [fact.text for fact in unusual_of(diagnosis.facts)]
    if found or not compared:
        return found
    measured = "The one measured quantity lies" if compared == 1 else f"All {compared} measured quantities lie"
    return [f"{measured} in the range of 5 to 95 % of healthy runs."]


def _read_as(diagnosis: Diagnosis) -> Section:
    """How the input was read. The columns are what one looks up; what was left out or merged has to be said."""
    only_columns = all(note.startswith("columns read") for note in diagnosis.notes)
    return Section("READ AS", lines(diagnosis.notes), 0 if only_columns and diagnosis.verdict == "sick" else 2, "note")


def _once(parts: Iterable[Section], summary: str) -> Iterator[Section]:
    """Without the sentences that stand above, in this order of the parts; without empty parts."""
    told = [summary.casefold()]
    for part in parts:
        kept = []
        for entry in part.entries:
            below = [text for text in entry.below if _new(text, told)]
            if entry.code or entry.below or (_new(entry.text, told) and _named(entry.text, told)):
                kept.append(replace(entry, below=below))
        if kept:
            yield replace(part, entries=kept)


def _named(text: str, told: list[str]) -> bool:
    """Whether what follows a title (`Plateau: the loss ...`) is new."""
    detail = text.partition(": ")[2].casefold().rstrip(".")
    return not detail or not any(detail in earlier for earlier in told[:-1])


def _new(text: str, told: list[str]) -> bool:
    key = text.casefold().rstrip(".")
    new = not any(key in earlier for earlier in told)
    told.append(key)
    return new
