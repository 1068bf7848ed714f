"""How well an interview does without any measurement: simulated people, asked about programs of known truth.

    python -m benchmarks.consult               all sick field programs that show a symptom
    python -m benchmarks.consult --every 4     a quarter of them
    python -m benchmarks.consult --fit         also write how often confidences of each size held

`person.py` says how people answer. Nothing of the weights was fitted on these programs: they are what the causes state.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

import traindx.diagnosis
from benchmarks.accuracy.__main__ import CORPUS, FIELD
from traindx.consult.information import ranked
from traindx.consult.interview import FEWEST, MOST, MOST_SHOWN, WORTHLESS, WORTHWHILE
from traindx.consult.questions import all_questions
from traindx.diagnosis.fitting import fit_claims
from traindx.diagnosis.model import HEALTHY, UNKNOWN, Model
from traindx.diagnosis.told import HELD, told
from traindx.signs import Sign, Signs
from traindx.zoo.corpus import Row, read

from .person import Person

TOLD = Path(traindx.diagnosis.__file__).parent / HELD


@dataclass(frozen=True)
class Held:
    row: Row
    symptoms: tuple[str, ...]
    order: tuple[str, ...]  # causes, most likely first
    confidence: float
    raw: float  # the confidence before claims are corrected
    questions: int

    def among(self, first: int) -> bool:
        return any(name in {self.row.cause, *self.row.also} for name in self.order[:first])


def hold(row: Row, model: Model) -> Held | None:
    """The interview of one simulated person; None where they have nothing to complain of."""
    person = Person(row.case, row.observed)
    symptoms = person.symptoms()
    if not symptoms:
        return None
    levels: dict[str, float] = {}
    for symptom in symptoms:
        levels |= symptom.signs
    temperature = model.parameters.temperature.get("told", 1.0)
    open_questions = dict(all_questions())
    answered = shown = 0
    while answered < MOST and shown < MOST_SHOWN:
        [(bits, question), *_] = ranked(list(open_questions.values()), _signs(levels), model, temperature)
        if bits < (WORTHWHILE if shown >= FEWEST else WORTHLESS):
            break
        del open_questions[question.id]
        said = person.answer(question)
        shown += 1
        answered += said is not None
        levels |= said or {}
    causes = model.causes_given_wrong(levels, "told")
    raw = Model(model.causes, replace(model.parameters, claims={})).causes_given_wrong(levels, "told")
    order = sorted((name for name in causes if name != UNKNOWN), key=lambda name: -causes[name])
    names = tuple(symptom.id for symptom in symptoms)
    return Held(row, names, tuple(order), causes[order[0]], raw[order[0]], shown)


def _signs(levels: Mapping[str, float]) -> Signs:
    return Signs({name: Sign(name, level, level, "", values={"told": True}) for name, level in levels.items()}, {})


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
        f"cause first {right.mean():.0%}, among three {np.mean([h.among(3) for h in found]):.0%}; "
        f"claimed {claimed.mean():.0%}, calibration error {_error(claimed, right):.2f}",
    ]
    by_symptom: dict[str, list[Held]] = defaultdict(list)
    for held in found:
        for name in held.symptoms:
            by_symptom[name].append(held)
    for name, part in sorted(by_symptom.items()):
        first, three = np.mean([h.among(1) for h in part]), np.mean([h.among(3) for h in part])
        lines.append(f"  {name:<14} {len(part):>4}  first {first:.0%}, among three {three:.0%}")
    return "\n".join(lines)


def _error(claimed: np.ndarray, right: np.ndarray) -> float:
    order = np.array_split(np.argsort(claimed), 8)
    return float(sum(len(g) * abs(claimed[g].mean() - right[g].mean()) for g in order if len(g)) / len(claimed))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--fit", action="store_true")
    arguments = parser.parse_args()
    model = told()
    found = [held for row in rows(arguments.every) if (held := hold(row, model)) is not None]
    print(report(found))
    halves = [found[::2], found[1::2]]
    errors = [_error(*_corrected(one, claims_of(other))) for one, other in (halves, halves[::-1])]
    print(f"calibration error of one half corrected by the other: {np.mean(errors):.2f}")
    if arguments.fit:
        facts = {"interviews": len(found), "first": _share(found, 1), "among_three": _share(found, 3)}
        TOLD.write_text(json.dumps({"claims": claims_of(found), **facts}) + "\n")


def claims_of(found: list[Held]) -> list[tuple[float, float]]:
    *claims, _ = fit_claims([held.raw for held in found], [held.among(1) for held in found])
    return [*claims, (1.0, claims[-1][1])]  # words alone never make sure


def _corrected(found: list[Held], claims: list[tuple[float, float]]) -> tuple[np.ndarray, np.ndarray]:
    raw = np.array([held.raw for held in found])
    return np.interp(raw, *np.array(claims).T), np.array([held.among(1) for held in found])


def _share(found: list[Held], first: int) -> float:
    return round(float(np.mean([held.among(first) for held in found])), 3)


if __name__ == "__main__":
    main()
