"""How well an interview does without any measurement: simulated people, asked about programs of known truth.

    python -m benchmarks.consult               all sick field programs that show a symptom
    python -m benchmarks.consult --every 4     a quarter of them

`person.py` says how people answer. Nothing was fitted on these programs: the rates are counted over public cases, and
the weights are what the causes state.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from benchmarks.accuracy.__main__ import CORPUS, FIELD
from traindx.conditions import Finding, established
from traindx.consult.conclusion import stated_faults
from traindx.consult.information import causes_behind, ranked, told_run
from traindx.consult.interview import MOST, WORTHLESS
from traindx.consult.questions import all_questions
from traindx.diagnosis.model import HEALTHY, UNKNOWN
from traindx.signs import Sign, Signs
from traindx.zoo.corpus import Row, read

from .person import Person


@dataclass(frozen=True)
class Held:
    row: Row
    symptoms: tuple[str, ...]
    condition: Finding
    order: tuple[str, ...]  # causes, most likely first
    confidence: float
    questions: int

    def among(self, first: int) -> bool:
        named = [*([self.condition.cause] if self.condition.cause else []), *self.order]
        return any(name in {self.row.cause, *self.row.also} for name in named[:first])


def hold(row: Row) -> Held | None:
    """The interview of one simulated person; None where they have nothing to complain of."""
    person = Person(row.case, row.observed)
    symptoms = person.symptoms()
    if not symptoms:
        return None
    run = told_run([symptom.tell() for symptom in symptoms])
    levels: dict[str, float] = {}
    for symptom in symptoms:
        levels |= symptom.signs
    open_questions = dict(all_questions())
    guided = [name for symptom in symptoms for name in symptom.first]
    shown = 0
    while shown < MOST:
        condition = next(iter(established(run, _signs(levels))), None)
        if condition is None:
            return None
        name = next((name for name in guided if name in open_questions), None)
        if name is None:
            (bits, best), *_ = ranked(list(open_questions.values()), _signs(levels), condition)
            if bits < WORTHLESS:
                break
            name = best.id
        levels |= person.answer(open_questions.pop(name)) or {}
        shown += 1
    causes = causes_behind(condition, run, levels)
    ranking = sorted((name for name in causes if name != UNKNOWN), key=lambda name: -causes[name])
    order = list(dict.fromkeys([*stated_faults(_signs(levels)), *ranking]))
    names = tuple(symptom.id for symptom in symptoms)
    return Held(row, names, condition, tuple(order), causes.get(order[0], 0.0), shown)


def _signs(levels: Mapping[str, float]) -> Signs:
    found = {
        name: Sign(name, level, level, "", values={"told": True, "stated": True}) for name, level in levels.items()
    }
    return Signs(found, {})


def rows(every: int) -> Iterable[Row]:
    sick = [row for path in (FIELD, CORPUS) for row in read(path) if row.cause not in (HEALTHY, UNKNOWN)]
    hosts: dict[tuple[str, str], Row] = {}
    for row in sick:  # one case for each program and cause: variants of one program teach the same
        hosts.setdefault((row.host, row.cause), row)
    return list(hosts.values())[::every]


def report(found: list[Held]) -> str:
    right = np.array([held.among(1) for held in found])
    claimed = np.array([held.confidence for held in found])
    lines = [
        f"{len(found)} interviews, {np.mean([held.questions for held in found]):.1f} questions each",
        f"condition or cause first {right.mean():.0%}, among three {np.mean([h.among(3) for h in found]):.0%}; "
        f"claimed {claimed.mean():.0%}",
    ]
    by_symptom: dict[str, list[Held]] = defaultdict(list)
    for held in found:
        for name in held.symptoms:
            by_symptom[name].append(held)
    for name, part in sorted(by_symptom.items()):
        first, three = np.mean([h.among(1) for h in part]), np.mean([h.among(3) for h in part])
        lines.append(f"  {name:<14} {len(part):>4}  first {first:.0%}, among three {three:.0%}")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--every", type=int, default=1)
    found = [held for row in rows(parser.parse_args().every) if (held := hold(row)) is not None]
    print(report(found))


if __name__ == "__main__":
    main()
