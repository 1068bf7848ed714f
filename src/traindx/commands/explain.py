"""Show what is known about a cause or a sign, or an overview page.

Without a name, it lists all causes by family, and the pages. The names are
those of a diagnosis: lr-too-high, double-softmax, grads-kept, ...
"""

from __future__ import annotations

import argparse
import re
from difflib import get_close_matches

from ._errors import CommandError
from ._say import say

HELP = "explain a cause: what happens, why, how to fix and verify it"
WIDEST = 100  # columns; longer lines are hard to read


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "name", nargs="*", metavar="CAUSE|SIGN|PAGE", help="what to explain; without it, list everything"
    )
    parser.add_argument("--format", choices=("text", "markdown"), default="text", help="default: text")


def words(option: str) -> list[str]:
    """For shell completion."""
    from ..causes import all_causes, page_names
    from ..signs import all_signs

    return [] if option else [*all_causes(), *page_names(), *all_signs()]


def run(arguments: argparse.Namespace) -> int:
    from ._markdown import plain
    from ._output import terminal_look

    markdown = _page(" ".join(arguments.name)) if arguments.name else _list()
    width = min(terminal_look()["width"], WIDEST)
    say(markdown if arguments.format == "markdown" else plain(markdown, width), end="")
    return 0


def _page(name: str) -> str:
    """The Markdown of a cause, a sign or a page, by its name or a cause's title; spelling variants are accepted."""
    from ..causes import all_causes, find_cause, page_names, read_page
    from ..signs import all_signs

    asked, name = name, "-".join(name.split()).replace("generaliz", "generalis").replace("initializ", "initialis")
    titled = [cause for cause in all_causes().values() if cause.title.lower() == " ".join(asked.split()).lower()]
    cause = find_cause(name) or (titled[0] if titled else None)
    if cause:
        advisory = ", given as advice only" if cause.advisory else ""
        return f"# {cause.title}\n\n`{cause.id}` (family {cause.family}{advisory})\n\n{cause.page.strip()}\n"
    page = read_page(name) or _sign_page(name)
    if page is None:
        hint = _nearest(name, [*all_causes(), *page_names(), *all_signs()], _titles())
        raise CommandError(f"there is no cause, sign or page {asked!r}: {hint}")
    return page


def _sign_page(name: str) -> str | None:
    """What a sign measures and shows, which causes it speaks for and against, and what excuses it."""
    from ..causes import all_causes
    from ..diagnosis.excuses import excused_by
    from ..signs import all_signs
    from ..wording import percent

    unit = all_signs().get(name.strip().lower().replace("_", "-"))
    if unit is None:
        return None
    speaks_for = [f"- `{cause.id}`: {cause.title}" for cause in all_causes().values() if unit.id in cause.supports]
    against = [f"- `{cause.id}`: {cause.title}" for cause in all_causes().values() if unit.id in cause.opposes]
    excuses = "\n".join(f"- `{name}`" for name in excused_by().get(unit.id, {}))
    excused = "\n".join(
        f"- `{name}`, which then {f'counts for at most {percent(most)}' if most else 'does not count'}"
        for name, most in unit.excuses.items()
    )
    parts = [
        f"# The sign {unit.id}",
        f"Answers: {unit.question} A raised sign shows: {unit.shows}.",
        unit.about,
        *(["## Speaks for", "\n".join(speaks_for)] if speaks_for else []),
        *(["## Speaks against", "\n".join(against)] if against else []),
        *(["## Counts less with", excuses] if excuses else []),
        *(["## Excuses", excused] if excused else []),
        *(["## What to do", unit.remedy] if unit.remedy else []),
    ]
    return "\n\n".join(parts) + "\n"


def _titles() -> dict[str, str]:
    """The titles and meanings of the causes in lower case, by id, to search for words in them."""
    from ..causes import all_causes

    return {cause.id: f"{cause.title} {cause.means}".lower() for cause in all_causes().values()}


def _nearest(name: str, known: list[str], titles: dict[str, str]) -> str:
    name = name.strip().lower().replace("_", "-")
    words = re.compile(rf"\b{re.escape(name.replace('-', ' '))}\b")
    near = [candidate for candidate in known if name and name in candidate]
    near += [cause for cause, title in titles.items() if name and words.search(title) and cause not in near]
    near += [match for match in get_close_matches(name, known, n=3, cutoff=0.5) if match not in near]
    return f"did you mean {' or '.join(near[:4])}?" if near else "traindx explain lists all causes and pages"


def _list() -> str:
    """All causes by family, then the pages, as Markdown."""
    from ..causes import all_causes, page_names, page_title

    families: dict[str, list[str]] = {}
    for cause in all_causes().values():
        families.setdefault(cause.family, []).append(f"| `{cause.id}` | {cause.title} |")
    pages = [f"| `{name}` | {page_title(name)} |" for name in page_names()]
    header = "| name | title |\n|---|---|\n"
    parts = [*sorted(families.items()), ("pages", pages)]
    sections = [f"## {family}\n\n{header}" + "\n".join(rows) for family, rows in parts]
    return "# Causes and pages\n\n" + "\n\n".join(sections) + "\n\nTo read one: `traindx explain NAME`\n"
