"""Look up the cases that experiments have solved on this machine.

traindx treat keeps each case that it solved (unless --no-history is given):
the signs that the run showed, the proven cause, the fix and its effect. Later
diagnoses mention a case with similar signs. The file stays on this machine;
docs/privacy.md says what is in it.

  traindx history                  all cases, newest first
  traindx history search WORD …    the cases that contain every word
  traindx history show ID          one case in full, with its patch
  traindx history export FILE.json all cases as JSON
  traindx history delete ID …      delete cases; --all deletes every one

Exit codes: 0; 1 if a search finds nothing; 2 if there is no such case or the
history cannot be read.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ._say import CommandError, say

if TYPE_CHECKING:
    from ..history import Case, History

HELP = "look up cases that experiments have solved on this machine"
ACTIONS = ("list", "search", "show", "export", "delete")
EMPTY = "No case has been kept yet: traindx treat keeps the cases that it solves."


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("action", nargs="?", choices=ACTIONS, default="list", help="what to do (default: list)")
    parser.add_argument("words", nargs="*", metavar="WORD|ID|FILE", help="what to search, show, export to or delete")
    parser.add_argument("--all", action="store_true", help="delete: every case")
    parser.add_argument("--format", choices=("text", "json"), default="text", help="how to print cases")


def run(arguments: argparse.Namespace) -> int:
    from ..history import History

    history = History()
    if arguments.action == "export":
        return _export(history, arguments.words)
    if arguments.action == "delete":
        return _delete(history, arguments.words, arguments.all)
    if arguments.action == "show":
        say(_in_full(_one(history, arguments.words), arguments.format))
        return 0
    if arguments.action == "list" and arguments.words:
        raise CommandError(f"list takes no words; did you mean: traindx history search {' '.join(arguments.words)}")
    if arguments.action == "search" and not arguments.words:
        raise CommandError("search needs a word: a cause, a script or a word of the fix")
    cases = history.search(arguments.words) if arguments.words else history.cases()
    if arguments.format == "json":
        say(_as_json(cases))
    elif cases:
        for c in cases:
            say(f"{c.id:>4}  {c.date[:10]}  {c.verdict:<6}  {c.cause:<24} {c.effect}  {c.script}")
    else:
        say(f"No case contains {' and '.join(arguments.words)}." if arguments.words else EMPTY)
    return int(bool(arguments.words) and not cases)


def _in_full(case: Case, format: str) -> str:
    if format == "json":
        return _as_json([case], one=True)
    raised = sorted((sign for sign, level in case.signature.items() if level >= 0.5), key=lambda s: -case.signature[s])
    interval = case.effect.interval
    between = f" (difference between {interval[0]:.4g} and {interval[1]:.4g})" if interval else ""
    lines = [
        f"case {case.id}: {case.script}, {case.date[:10]}, traindx {case.version}",
        f"cause         {case.cause}, proven by {case.intervention}",
        f"outcome       {case.verdict}: {case.effect}{between}",
        f"fix           {case.fix}",
        f"signs         {', '.join(raised) or 'none raised'}",
    ]
    return "\n".join([*lines, *(["", case.patch.rstrip("\n")] if case.patch else [])])


def _as_json(cases: Sequence[Case], one: bool = False) -> str:
    from ..reports.json import strict

    objects = [strict(case.as_object()) for case in cases]
    return json.dumps(objects[0] if one else objects, indent=2, allow_nan=False)


def _one(history: History, words: Sequence[str]) -> Case:
    numbers = _numbers(words, "show")
    if len(numbers) != 1:
        raise CommandError("show takes one number; traindx history lists them")
    return _existing(history, numbers)[0]


def _existing(history: History, numbers: Sequence[int]) -> list[Case]:
    cases = {case.id: case for case in history.cases()}
    unknown = [str(number) for number in numbers if number not in cases]
    if unknown:
        raise CommandError(f"there is no case {', '.join(unknown)}; traindx history lists them")
    return [cases[number] for number in numbers]


def _numbers(words: Sequence[str], action: str) -> list[int]:
    odd = [word for word in words if not word.isdecimal()]
    if odd or not words:
        raise CommandError(f"{action} takes the number of a case{f', not {odd[0]!r}' if odd else ''}")
    return [int(word) for word in words]


def _export(history: History, words: Sequence[str]) -> int:
    from ._output import write

    if len(words) != 1:
        raise CommandError("export takes one file: traindx history export FILE.json")
    path = Path(words[0])
    if path.exists():
        raise CommandError(f"{path} exists already; name a new file")
    cases = history.cases()
    write(path, _as_json(cases) + "\n")
    say(f"{path} contains {len(cases)} case{'' if len(cases) == 1 else 's'}.")
    return 0


def _delete(history: History, words: Sequence[str], every: bool) -> int:
    if every and words:
        raise CommandError("delete takes numbers or --all, not both")
    if every:
        count = history.delete()
    else:
        numbers = _numbers(words, "delete")
        _existing(history, numbers)
        count = history.delete(numbers)
    say(f"Deleted {count} case{'' if count == 1 else 's'}.")
    return 0
