"""Show what is known about a condition, a cause or a sign, or an overview page.

A condition is what a run is in: its page has the definition, the standard
remedies in order, and what was found behind it how often. Without a name, all
conditions, causes (by family) and pages are listed. The names are those of a
diagnosis: overfitting, lr-too-high, double-softmax, grads-kept, ...
"""

from __future__ import annotations

import argparse
import re
from difflib import get_close_matches
from typing import Any

from ._say import CommandError, say

HELP = "explain a condition or a cause: what happens, why, how to fix it"
WIDEST = 100  # columns; longer lines are hard to read


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "name", nargs="*", metavar="CONDITION|CAUSE|SIGN|PAGE", help="what to explain; without it, list everything"
    )
    parser.add_argument("--format", choices=("text", "markdown"), default="text", help="default: text")


def words(option: str) -> list[str]:
    """For shell completion."""
    from ..causes import page_names
    from ..signs import all_signs

    return [] if option else list(dict.fromkeys([*(unit.id for unit in _units()), *page_names(), *all_signs()]))


def run(arguments: argparse.Namespace) -> int:
    from ._markdown import plain
    from ._output import terminal_look

    markdown = _page(" ".join(arguments.name)) if arguments.name else _list()
    width = min(terminal_look()["width"], WIDEST)
    say(markdown if arguments.format == "markdown" else plain(markdown, width), end="")
    return 0


def _page(name: str) -> str:
    """The Markdown of a unit or a page, by its name or its title; spelling variants are accepted."""
    from ..causes import find_cause, page_names, read_page
    from ..reports.reference import unit_page
    from ..signs import all_signs

    asked, name = name, "-".join(name.split()).replace("generaliz", "generalis").replace("initializ", "initialis")
    wanted = " ".join(asked.split()).lower()
    titled = next((unit for unit in _units() if unit.title.lower() == wanted), None)
    cause = find_cause(name)
    page = unit_page(cause.id if cause else name) or (unit_page(titled.id) if titled else None) or read_page(name)
    if page is None:
        hint = _nearest(name, [*(unit.id for unit in _units()), *page_names(), *all_signs()])
        raise CommandError(f"there is no condition, cause, sign or page {asked!r}: {hint}")
    return page


def _units() -> list[Any]:
    """Conditions, then causes: both have an id, a title and a meaning."""
    from ..causes import all_causes
    from ..conditions import all_conditions

    return [*all_conditions().values(), *all_causes().values()]


def _nearest(name: str, known: list[str]) -> str:
    name = name.strip().lower().replace("_", "-")
    words = re.compile(rf"\b{re.escape(name.replace('-', ' '))}\b")
    near = [candidate for candidate in known if name and name in candidate]
    told = {unit.id: f"{unit.title} {unit.means}".lower() for unit in _units()}
    near += [unit for unit, text in told.items() if name and words.search(text) and unit not in near]
    near += [match for match in get_close_matches(name, known, n=3, cutoff=0.5) if match not in near]
    return f"did you mean {' or '.join(near[:4])}?" if near else "traindx explain lists everything"


def _list() -> str:
    """The conditions, all causes by family, then the pages, as Markdown."""
    from ..causes import all_causes, page_names, page_title
    from ..conditions import all_conditions

    families: dict[str, list[str]] = {}
    for cause in all_causes().values():
        families.setdefault(cause.family, []).append(f"| `{cause.id}` | {cause.title} |")
    pages = [f"| `{name}` | {page_title(name)} |" for name in page_names()]
    header = "| name | title |\n|---|---|\n"
    conditions = [f"| `{unit.id}` | {unit.title} |" for unit in all_conditions().values()]
    parts = [("conditions", conditions), *sorted(families.items()), ("pages", pages)]
    sections = [f"## {family}\n\n{header}" + "\n".join(rows) for family, rows in parts]
    return "# Conditions, causes and pages\n\n" + "\n\n".join(sections) + "\n\nTo read one: `traindx explain NAME`\n"
