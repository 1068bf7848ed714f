"""The reference pages in Markdown: what `traindx explain` prints, assistants read, and the docs site shows."""

from __future__ import annotations

from collections.abc import Iterator
from inspect import getdoc

from ...causes import Cause, all_causes
from ...conditions import Condition, find_condition
from ...diagnosis import how_often
from ...facts import all_quantities, range_words, shipped
from ...record import RunBuilder
from ...signs import Scale, Sign, Signs, all_signs
from ...wording import num, percent
from .._findings import remedies_of


def unit_page(name: str) -> str | None:
    """The page of a condition, a cause or a sign, by its id. Units of the same name share one page."""
    key = name.strip().lower().replace("_", "-")
    condition, cause = find_condition(key), all_causes().get(key)
    found = [condition_page(condition) if condition else None, cause_page(cause) if cause else None]
    if condition is None and cause is None:
        found.append(sign_page(key))
    parts = [part for part in found if part is not None]
    if len(parts) > 1:  # one title for both: the condition's
        parts[1:] = [f"## As a cause\n\n{_lowered(part.partition(chr(10))[2].strip())}\n" for part in parts[1:]]
    return "\n".join(parts) or None


def cause_page(cause: Cause) -> str:
    advisory = ", given as advice only" if cause.advisory else ""
    return f"# {cause.title}\n\n`{cause.id}` (family {cause.family}{advisory})\n\n{cause.page.strip()}\n"


def _lowered(markdown: str) -> str:
    """The headings of a page one level deeper, outside of code."""
    fenced, lines = False, []
    for line in markdown.splitlines():
        fenced ^= line.startswith("```")
        lines.append(f"#{line}" if line.startswith("#") and not fenced else line)
    return "\n".join(lines)


def condition_page(unit: Condition) -> str:
    bad = "advice only" if unit.bad_from is None else "a run in it is sick"
    definition, _, reference = unit.page.partition("## Definition")[2].partition("## Reference")
    signs = ", ".join(f"`{name}`" for name in unit.signs)
    parts = [
        f"# {unit.title}",
        f"`{unit.id}` (condition, {bad})",
        unit.means,
        "## Definition",
        definition.strip(),
        f"Measured by the signs {signs}.",
        "## Remedies",
        "\n\n".join(_remedies(unit)),
        *(["## What not to do", "\n".join(f"- {text}" for text in unit.avoid)] if unit.avoid else []),
        "## What may lie behind it",
        *_behind(unit),
        *(["## Reference", reference.strip()] if reference else []),
    ]
    return "\n\n".join(parts) + "\n"


def _remedies(unit: Condition) -> Iterator[str]:
    """The standard moves as a run without any numbers gets them."""
    unraised = {name: Sign(name, 0.0, 0.0, "") for name in (*unit.signs, *unit.follows)}
    for entry in remedies_of(unit.remedies(RunBuilder("", "log").build(), Signs(unraised, {}))):
        yield f"{entry.mark}{entry.text}"
        if entry.code:
            yield "\n".join(["```python", *entry.code, "```"])


def _behind(unit: Condition) -> Iterator[str]:
    words = {"unknown": "something else", unit.cause: "nothing further"}
    counts = [(cause, case) for cause in (*all_causes(), "unknown") if (case := how_often(unit.id, cause)) and case[0]]
    named = sorted((entry for entry in counts if entry[0] not in words), key=lambda entry: -entry[1][0])
    rest = [entry for entry in counts if entry[0] in words]
    if counts:
        rows = [f"| `{cause}` | {all_causes()[cause].title} | {case[0]} |" for cause, case in named]
        rows += [f"| | {words[cause]} | {case[0]} |" for cause, case in rest]
        yield f"Of {counts[0][1][1]} public cases that showed this and whose cause was found, it was:"
        yield "\n".join(["| cause | title | cases |", "|---|---|---|", *rows])
    else:
        yield "No public cases were counted for this condition."
    if unit.behind is not None:
        command, shows = unit.behind
        yield f"The cheapest test shows {shows}: `{command}`"


def sign_page(name: str) -> str | None:
    """What a sign measures and shows, which causes it speaks for, and what excuses it."""
    unit = all_signs().get(name)
    if unit is None:
        return None
    speaks_for = [f"- `{cause.id}`: {cause.title}" for cause in all_causes().values() if unit.id in cause.supports]
    excuses = "\n".join(
        f"- {(getdoc(excuse) or '').splitlines()[0]} It counts for at most {percent(most)} then."
        for excuse, most in unit.unless.items()
    )
    witnesses = unit.proof or "\n".join(f"- {fact.says}" for fact in unit.witnesses)
    refuters = "\n".join(f"- {fact.says}" for fact in unit.refuters)
    parts = [
        f"# The sign {unit.id}",
        f"Answers: {unit.question} A raised sign shows: {unit.shows}.",
        unit.about,
        *(["## The level", _scale(unit.scale)] if unit.scale else []),
        *(["## In healthy runs", ranges] if (ranges := _ranges(unit.id)) else []),
        *(["## Speaks for", "\n".join(speaks_for)] if speaks_for else []),
        *(["## A claim rests on", witnesses] if witnesses else []),
        *(["## Would refute it", refuters] if refuters else []),
        *(["## Counts less", excuses] if excuses else []),
        *(["## What to do", unit.remedy] if unit.remedy else []),
    ]
    return "\n\n".join(parts) + "\n"


def _scale(scale: Scale) -> str:
    """Where the level begins, where the sign is raised, and where the level is 1."""
    word = "more" if scale.gross > scale.normal else "less"
    normal, raised, gross = (num(value) for value in (scale.normal, scale.raised_from, scale.gross))
    return f"0 up to {normal}, 1 from {gross} ({word} is worse); the sign is raised at {raised}."


def _ranges(sign: str) -> str:
    """What healthy runs show of the quantities that this sign measures, by kind of run, and where that comes from."""
    rows = []
    for quantity in all_quantities().values():
        if quantity.sign == sign or sign in quantity.kin:
            for known in shipped().ranges.get(quantity.id, {}).values():
                behind = ", ".join(f"{source} ({runs})" for source, runs in known.sources.items())
                words = range_words(known.low, known.high, quantity.unit)
                rows.append(f"| {quantity.name} | {known.stratum} | {words} | {known.n} | {known.hosts} | {behind} |")
    header = "| quantity | runs | 5-95 % | n | programs | source |\n|---|---|---|---|---|---|\n"
    said = "Quantiles over healthy runs, each program or repository counted alike (`python -m benchmarks.reference`)."
    return f"{header}{chr(10).join(rows)}\n\n{said}" if rows else ""
