"""Scores what is named on textbook logs: the headline's condition, verdict and onset, and how quiet healthy logs are.

    python -m benchmarks.textbook [--hand first|second|third] [--half open|closed] [--seed N] [--levels] [-v]

Logs are made anew in a temporary folder, from the definitions in `families/` and, of another author who knew neither
these nor traindx, in `second_hand/`; those of a third author are kept in `third_hand/`. All were set aside until their
figures at first sight had been taken (README.md), and then looked at, but for a quarter of the third hand's: another
hand's logs, or new seeds (`--seed`), are what counts next. The halves are those by which they were set aside: of the
second hand, by a hash of the family's name. With --levels the share of right answers is printed by the level of the
sign that established the condition.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter, defaultdict
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from zlib import crc32

from traindx.diagnosis import Diagnosis, diagnose
from traindx.readers import ReaderError, principal, read

from .generate import Case, generate
from .second_hand import generate_second
from .third_hand import third_hand

NAMED = 0.5  # the confidence that a headline needs to count as named


@dataclass(frozen=True)
class Answer:
    """What was said of one case; `diagnosis` is None where the log could not be read."""

    case: Case
    diagnosis: Diagnosis | None

    @property
    def said(self) -> str:
        found = self.diagnosis
        if found is None:
            return "unread"
        if found.verdict == "healthy":
            return found.conditions[0].id if found.conditions else "healthy"
        if found.verdict == "out-of-scope":
            return "crash" if found.signs.get("crash-infrastructure") else "out-of-scope"
        head = found.headline
        return str(head.id) if head.kind in ("condition", "fault") and head.confidence >= NAMED else "unclear"

    @property
    def named(self) -> bool:
        said = "healthy" if self.case.condition == "healthy" and self.quiet else self.said
        return said in {self.case.condition, *self.case.accepted}

    @property
    def quiet(self) -> bool:
        return self.diagnosis is not None and self.diagnosis.verdict != "sick"

    @property
    def verdict_right(self) -> bool:
        found, wanted = self.diagnosis, self.case.verdict
        if found is None:
            return False
        if wanted == "sick":
            return found.verdict == "sick"
        return found.verdict == "out-of-scope" if wanted == "out-of-scope" else found.verdict != "sick"


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="benchmarks.textbook")
    parser.add_argument("--hand", choices=("first", "second", "third"), default="third")
    parser.add_argument("--half", choices=("open", "closed"), default="closed")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--levels", action="store_true")
    parser.add_argument("-v", action="store_true")
    given = parser.parse_args(arguments)
    with TemporaryDirectory() as folder:
        cases = _cases(folder, given.hand, given.half, given.seed)
        answers = [Answer(case, _diagnosis(Path(folder), case)) for case in cases]
    _by_family(answers, given.v)
    _totals(answers)
    if given.levels:
        _levels(answers)
    return 0


def _cases(folder: str, hand: str, half: str, seed: int) -> list[Case]:
    if hand == "first":
        return generate(folder, half, seed)
    if hand == "third":
        return third_hand(folder, half)
    closed = half == "closed"
    return [case for case in generate_second(folder, seed) if (crc32(case.family.encode()) % 2 == 1) == closed]


def _diagnosis(folder: Path, case: Case) -> Diagnosis | None:
    try:
        return diagnose(principal(read(str(folder / case.files[0]))))
    except ReaderError:
        return None


def _by_family(answers: list[Answer], every: bool) -> None:
    families: dict[str, list[Answer]] = defaultdict(list)
    for answer in answers:
        families[answer.case.family].append(answer)
    for name, found in families.items():
        right = sum(answer.named for answer in found)
        wrong = Counter(answer.said for answer in found if not answer.named)
        print(f"{name:<32}{right:>3} of {len(found)}  {', '.join(f'{said} {n}' for said, n in wrong.most_common())}")
        for answer in found if every else ():
            if not answer.named and answer.diagnosis is not None:
                print(f"      {answer.case.id}: {answer.diagnosis.verdict}: {answer.diagnosis.summary}")


def _totals(answers: list[Answer]) -> None:
    sick = [a for a in answers if a.case.condition not in ("healthy", "crash")]
    healthy = [a for a in answers if a.case.condition == "healthy"]
    onsets = [
        abs(a.diagnosis.headline.since - a.case.since) <= (a.case.slack or 0.0)
        for a in sick
        if a.named and a.case.since is not None and a.diagnosis is not None and a.diagnosis.headline.since is not None
    ]
    print(f"\nconditions named in the headline   {_share([a.named for a in sick])}")
    print(f"verdict right                      {_share([a.verdict_right for a in answers])}")
    print(f"healthy not called sick            {_share([a.quiet for a in healthy])}")
    print(f"crashes handed over                {_share([a.named for a in answers if a.case.condition == 'crash'])}")
    print(f"onset within its slack             {_share(onsets)}")


def _levels(answers: list[Answer]) -> None:
    found: dict[float, list[bool]] = defaultdict(list)
    for answer in answers:
        for condition in answer.diagnosis.conditions[:1] if answer.diagnosis is not None else ():
            found[int(condition.level * 10) / 10].append(condition.id in {answer.case.condition, *answer.case.accepted})
    for level, right in sorted(found.items()):
        print(f"level {level:.1f}: {_share(right)}")


def _share(right: list[bool]) -> str:
    return f"{sum(right)} of {len(right)}" + (f" ({sum(right) / len(right):.0%})" if right else "")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
