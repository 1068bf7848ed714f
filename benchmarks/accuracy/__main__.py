"""Accuracy of the diagnosis on the zoo's corpus and on the open field programs, held out in turn.

    python -m benchmarks.accuracy              score, leave-one-host-out
    python -m benchmarks.accuracy --fit        also fit on everything and write the package's parameters
    python -m benchmarks.accuracy --plot FILE  also draw the reliability plot

Prints top-1 and top-3 on sick runs, false alarms on healthy ones, missed, expected calibration error, the commonest
confusions, and the same with what a log alone shows. Of the zoo one host is held out at a time, with all its variants;
of the field programs (`benchmarks/field/open`), each of which is a program of its own, a tenth.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from zlib import crc32

import numpy as np

import traindx.diagnosis
from traindx.causes import all_causes
from traindx.diagnosis.fitting import Case, fit, fit_claims, fit_temperature
from traindx.diagnosis.model import HEALTHY, UNKNOWN, Model, Parameters, honest
from traindx.diagnosis.verdict import decide
from traindx.zoo.corpus import Row, read

CORPUS = Path(__file__).parent / "corpus.jsonl.gz"
FIELD = Path(__file__).parent / "field.jsonl.gz"
FIELD_FOLDS = 10
FITTED = Path(traindx.diagnosis.__file__).parent / "fitted.json"
VIEWS = ("observed", "log")
BINS = 10


@dataclass(frozen=True)
class Answer:
    row: Row
    view: str
    levels: Mapping[str, float]
    ranked: list[tuple[str, float]]

    @property
    def named(self) -> list[str]:
        """The causes in order, without `healthy` and `unknown`."""
        return [name for name, _ in self.ranked if name not in (HEALTHY, UNKNOWN)]

    @property
    def alarm(self) -> bool:
        """Called sick, by the rule that the diagnosis uses."""
        return decide(dict(self.ranked), self.levels, self.view) == "sick"

    @property
    def correct(self) -> bool:
        return self.among(1)

    def among(self, first: int) -> bool:
        """Whether the cause, or one that is as good an answer, is among the first ones."""
        right = {self.row.cause, *self.row.also}
        return any(name in right for name, _ in self.ranked[:first])


@cache
def case(row: Row, view: str) -> Case:
    return Case(getattr(row, view), row.cause, row.host)


def cases(rows: Sequence[Row], view: str) -> list[Case]:
    return [case(row, view) for row in rows]


def fitted(rows: Sequence[Row], start: Parameters | None = None) -> Parameters:
    """Weights from both views of every run: a log of a run has the same cause."""
    return fit([*cases(rows, "observed"), *cases(rows, "log")], all_causes(), start=start)


def is_field(row: Row) -> bool:
    return row.host.startswith("field/")


def fold(row: Row) -> str:
    """What is held out together."""
    return f"field/{crc32(row.host.encode()) % FIELD_FOLDS}" if is_field(row) else row.host


def held_out(rows: Sequence[Row], everything: Parameters) -> dict[str, list[tuple[Row, Model]]]:
    """For both views, every row with a model that has not seen its program."""
    causes = all_causes()
    folds = sorted({fold(row) for row in rows})
    # Each fit ends where it ends whatever it starts from; near the end it gets there faster.
    models = {name: Model(causes, fitted([row for row in rows if fold(row) != name], everything)) for name in folds}
    return {view: [(row, models[fold(row)]) for row in rows] for view in VIEWS}


def temperature_of(found: Sequence[tuple[Row, Model]], view: str) -> float:
    """One number, fitted on held-out scores: with a thousand rows it cannot overfit."""
    by_model: dict[int, tuple[Model, list[Row]]] = {}
    for row, model in found:
        by_model.setdefault(id(model), (model, []))[1].append(row)
    return round(float(np.median([fit_temperature(model, cases(rows, view)) for model, rows in by_model.values()])), 3)


def answer(row: Row, model: Model, view: str, temperature: float) -> Answer:
    tempered = Model(all_causes(), replace(model.parameters, temperature={view: temperature}))
    chances = tempered.probabilities(getattr(row, view), view)
    return Answer(row, view, getattr(row, view), sorted(chances.items(), key=lambda item: -item[1]))


def claims_of(answers: Sequence[Answer]) -> list[tuple[float, float]]:
    return fit_claims([a.ranked[0][1] for a in answers], [a.correct for a in answers])


def made_honest(answers: Sequence[Answer]) -> list[Answer]:
    """Every answer with the confidence that the answers of the other folds call for."""
    claims = {name: claims_of([a for a in answers if fold(a.row) != name]) for name in {fold(a.row) for a in answers}}
    return [
        replace(a, ranked=sorted(honest(dict(a.ranked), claims[fold(a.row)]).items(), key=lambda item: -item[1]))
        for a in answers
    ]


def calibration_error(answers: Sequence[Answer]) -> tuple[float, list[tuple[float, float, int]]]:
    """Expected calibration error of the leading hypothesis, and (confidence, share right, count) by bin."""
    confidence = np.array([a.ranked[0][1] for a in answers])
    right = np.array([a.correct for a in answers], dtype=float)
    bins = []
    error = 0.0
    for low in np.arange(BINS) / BINS:
        inside = (confidence >= low) & (confidence < low + 1 / BINS + (low > 0.89) * 1e-9)
        if inside.any():
            bins.append((float(confidence[inside].mean()), float(right[inside].mean()), int(inside.sum())))
            error += inside.mean() * abs(confidence[inside].mean() - right[inside].mean())
    return error, bins


def report(view: str, answers: Sequence[Answer], say: Callable[[str], None] = print) -> dict[str, float]:
    sick = [a for a in answers if a.row.cause != HEALTHY]
    well = [a for a in answers if a.row.cause == HEALTHY]
    numbers = {
        "cases": len(answers),
        "top1": float(np.mean([a.correct for a in sick])),
        "top3": float(np.mean([a.among(3) for a in sick])),
        "false_alarms": float(np.mean([a.alarm for a in well])),
        "missed": float(np.mean([not a.alarm for a in sick])),
        "calibration_error": calibration_error(answers)[0],
    }
    say(f"{view}: {len(sick)} sick and {len(well)} healthy runs, held out in turn")
    say(f"  top-1 {numbers['top1']:.1%}   top-3 {numbers['top3']:.1%}   false alarms {numbers['false_alarms']:.1%}   "
        f"not called sick {numbers['missed']:.1%}   calibration error {numbers['calibration_error']:.3f}")  # fmt: skip
    return numbers


def details(answers: Sequence[Answer]) -> None:
    print("  reliability (confidence, share right, runs):")
    for confidence, right, count in calibration_error(answers)[1]:
        print(f"    {confidence:5.2f} {right:5.2f} {count:5d}")
    by_host: dict[str, list[bool]] = defaultdict(list)
    by_cause: dict[str, list[bool]] = defaultdict(list)
    confusions: Counter[tuple[str, str]] = Counter()
    for a in answers:
        by_cause[a.row.cause].append(a.correct)
        if a.row.cause != HEALTHY and not is_field(a.row):
            by_host[a.row.host].append(a.correct)
        if not a.correct:
            confusions[(a.row.cause, a.ranked[0][0])] += 1
    if by_host:
        print("  by host: " + ", ".join(f"{host} {np.mean(right):.0%}" for host, right in sorted(by_host.items())))
    weak = sorted(by_cause.items(), key=lambda item: float(np.mean(item[1])))
    print("  weakest causes: " + ", ".join(f"{c} {np.mean(r):.0%} of {len(r)}" for c, r in weak[:14]))
    print("  confusions (truth -> answer):")
    for (truth, said), count in confusions.most_common(25):
        print(f"    {count:4d}  {truth} -> {said}")


def draw(path: Path, answers: dict[str, list[Answer]]) -> None:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5, 5), layout="constrained")
    axes = figure.add_subplot()
    axes.plot([0, 1], [0, 1], color="0.7", linewidth=1)
    for view, found in answers.items():
        bins = calibration_error(found)[1]
        axes.plot([b[0] for b in bins], [b[1] for b in bins], marker="o", label=view)
    axes.set_xlabel("confidence of the leading hypothesis")
    axes.set_ylabel("share that was right")
    axes.legend()
    figure.savefig(path)


def write_fitted(
    rows: Sequence[Row],
    parameters: Parameters,
    numbers: dict[str, dict[str, float]],
) -> None:
    zoo = [row for row in rows if not is_field(row)]
    about = {
        "corpus": f"{len(zoo)} runs of {len({row.host for row in zoo})} hosts of the zoo, "
        f"{len(rows) - len(zoo)} field programs",
        "held_out": {view: {k: round(v, 4) for k, v in found.items()} for view, found in numbers.items()},
    }
    content = {
        "about": about,
        "temperature": parameters.temperature,
        "claims": parameters.claims,
        "prior": parameters.prior,
        "weight": parameters.weight,
    }
    FITTED.write_text(json.dumps(content, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    print(f"wrote {FITTED.name}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fit", action="store_true")
    parser.add_argument("--plot", type=Path)
    parser.add_argument("--brief", action="store_true", help="no tables")
    args = parser.parse_args()
    # Advice is never the verdict, so its cases have no right answer here.
    rows = [*read(CORPUS), *(read(FIELD) if FIELD.exists() else [])]
    rows = [row for row in rows if not (row.cause in all_causes() and all_causes()[row.cause].advisory)]
    everything = fitted(rows)
    answers, temperature, claims, numbers = {}, {}, {}, {}
    for view, found in held_out(rows, everything).items():
        temperature[view] = temperature_of(found, view)
        plain = [answer(row, model, view, temperature[view]) for row, model in found]
        claims[view] = claims_of(plain)
        answers[view] = made_honest(plain)
        for source, part in (("zoo", False), ("field programs", True)):
            chosen = [a for a in answers[view] if is_field(a.row) == part]
            if chosen:
                numbers[f"{source}, {view}"] = report(f"{source}, {view}", chosen)
                if not args.brief:
                    details(chosen)
    if args.plot:
        draw(args.plot, answers)
    if args.fit:
        write_fitted(rows, replace(everything, temperature=temperature, claims=claims), numbers)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
