"""What traindx adds to a coding assistant: the same cases, answered with sources, with traindx, and with both.

    python -m benchmarks.duel deal CASES.tsv FOLDER     three tables of the same cases, one for each contestant
    python -m benchmarks.duel score CASES.tsv FOLDER    the figures, once the contestants have written their answers

CASES.tsv names the cases, which lie beside it, and the answers that count as right: case, kind (program or log), path,
accepted (ids of causes.toml and conditions.toml, or healthy; with commas). Contestants are assistants that know neither
the labels nor how traindx works; README.md has the rules, which `deal` copies to every table. Each writes
`answers.tsv`: case, answer, seconds, commands, lines, said (what traindx named first, or -), overruled (yes, no), why.
"""

from __future__ import annotations

import argparse
import csv
import shutil
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import median

TABLES = ("sources", "traindx", "both")
RULES = Path(__file__).parent / "README.md"
SOUND = {"healthy", "unfinished"}  # stopped early is no fault


@dataclass(frozen=True)
class Case:
    """A program or log, and the answers that count as right."""

    name: str
    kind: str
    path: Path
    accepted: frozenset[str]


@dataclass(frozen=True)
class Reply:
    """What a contestant answered."""

    answer: str
    seconds: float
    commands: int
    said: str
    overruled: bool


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.duel", description=__doc__)
    parser.add_argument("verb", choices=("deal", "score"))
    parser.add_argument("cases", type=Path)
    parser.add_argument("folder", type=Path)
    given = parser.parse_args(arguments)
    cases = list(read_cases(given.cases))
    if given.verb == "deal":
        deal(cases, given.folder)
    else:
        score({case.name: case for case in cases}, given.folder)
    return 0


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def read_cases(table: Path) -> Iterable[Case]:
    for row in rows(table):
        accepted = frozenset(part.strip() for part in row["accepted"].split(",") if part.strip())
        yield Case(row["case"], row["kind"], table.parent / row["path"], accepted)


def deal(cases: Iterable[Case], folder: Path) -> None:
    """A table holds the rules and a folder for each case, without its label."""
    for table in TABLES:
        for case in cases:
            target = folder / table / case.name
            target.mkdir(parents=True)
            shutil.copy(case.path, target / ("train.py" if case.kind == "program" else f"log{case.path.suffix}"))
        shutil.copy(RULES, folder / table / "RULES.md")


def score(cases: Mapping[str, Case], folder: Path) -> None:
    for table in TABLES:
        path = folder / table / "answers.tsv"
        if not path.exists():
            print(f"{table}: no answers", file=sys.stderr)
            continue
        replies = {row["case"]: reply(row) for row in rows(path) if row["case"] in cases}
        print(f"\n{table}: {len(replies)} of {len(cases)} cases answered")
        for kind in sorted({case.kind for case in cases.values()}):
            of_kind = {name: answer for name, answer in replies.items() if cases[name].kind == kind}
            if of_kind:
                print(f"  {kind:8}", figures(cases, of_kind))


def figures(cases: Mapping[str, Case], replies: Mapping[str, Reply]) -> str:
    right = {name: good(cases[name], one.answer) for name, one in replies.items()}
    sound = [name for name in replies if cases[name].accepted & SOUND]
    overruled = [name for name, one in replies.items() if one.overruled]
    asked = [name for name, one in replies.items() if one.said not in ("", "-")]
    text = (
        f"right {sum(right.values())} of {len(replies)}; sound ones called sick "
        f"{sum(not right[name] for name in sound)} of {len(sound)}; median "
        f"{median(one.seconds for one in replies.values()):.0f} s, "
        f"{median(one.commands for one in replies.values()):.0f} commands"
    )
    if asked:
        first = sum(good(cases[name], replies[name].said) for name in asked)
        rightly = sum(right[name] and not good(cases[name], replies[name].said) for name in overruled)
        text += f"; traindx alone right {first} of {len(asked)}"
        text += f", overruled rightly {rightly}, otherwise {len(overruled) - rightly}"
    return text


def good(case: Case, answer: str) -> bool:
    return answer in case.accepted or bool(answer in SOUND and case.accepted & SOUND)


def reply(row: Mapping[str, str]) -> Reply:
    return Reply(
        row["answer"].strip(),
        float(row["seconds"] or 0),
        int(row["commands"] or 0),
        row["said"].strip(),
        row["overruled"].strip() == "yes",
    )


if __name__ == "__main__":
    sys.exit(main())
