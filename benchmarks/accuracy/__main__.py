"""Accuracy of the diagnosis on the zoo's corpus and on the open field programs, held out in turn.

    python -m benchmarks.accuracy              score, leave-one-host-out
    python -m benchmarks.accuracy --fit        also fit on everything and write the package's parameters
    python -m benchmarks.accuracy --plot FILE  also draw the reliability plot

Prints, for sick runs, how often the cause comes first and among the first three, how many are called sick, suspected
or healthy; for healthy runs, how many are called sick or suspected; how often a leading cause was right that was seen
or merely suspected; the calibration error; and the same with what a log alone shows. Of the zoo one host is held out at
a time, with all its variants; of the field programs (`benchmarks/field/open`), each a program of its own, a tenth; of
the public programs of `benchmarks/real` that may be looked at, a tenth of the repositories.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from zlib import crc32

import numpy as np

import traindx.diagnosis
from traindx.causes import all_causes
from traindx.diagnosis.model import HEALTHY, Basis, Model, Parameters
from traindx.diagnosis.verdict import Assessment, assess
from traindx.zoo.corpus import Row, read

from .fitting import Case, fit

CORPUS = Path(__file__).parent / "corpus.jsonl.gz"
FIELD = Path(__file__).parent / "field.jsonl.gz"
REAL = Path(__file__).parent / "real.jsonl.gz"
SOURCES = {"zoo": "zoo", "field": "field programs", "real": "public programs, tuned half"}
FIELD_FOLDS = 10
FITTED = Path(traindx.diagnosis.__file__).parent / "fitted.json"
VIEWS = ("observed", "log")
BINS = 10
SURE = 0.9


@dataclass(frozen=True)
class Answer:
    """What a model that has not seen the program says of a run."""

    row: Row
    view: str
    found: Assessment
    causes: Mapping[str, float]  # given that something is wrong
    healthy: float
    basis: Basis  # of the leading cause

    @property
    def leading(self) -> str:
        return max(self.causes, key=lambda name: self.causes[name])

    @property
    def leads_right(self) -> bool:
        """Whether the leading cause is right, whatever the verdict."""
        return self.leading in {self.row.cause, *self.row.also}

    @property
    def named(self) -> list[str]:
        """The causes in order, most likely first; `healthy` in front where that is the verdict."""
        order = sorted(self.causes, key=lambda name: -self.causes[name])
        return [HEALTHY, *order] if self.found.verdict == "healthy" else order

    @property
    def confidence(self) -> float:
        """Of the first hypothesis, as the diagnosis prints it."""
        if self.found.verdict == "healthy":
            return self.healthy
        return self.causes[self.named[0]] * (1.0 if self.found.verdict == "sick" else 1.0 - self.healthy)

    @property
    def alarm(self) -> bool:
        return self.found.verdict == "sick"

    @property
    def suspicion(self) -> bool:
        return self.found.suspected is not None

    @property
    def correct(self) -> bool:
        return self.among(1)

    def among(self, first: int) -> bool:
        """Whether the cause, or one that is as good an answer, is among the first ones."""
        right = {self.row.cause, *self.row.also}
        return any(name in right for name in self.named[:first])


@cache
def case(row: Row, view: str) -> Case:
    return Case(getattr(row, view), row.cause, row.host)


def cases(rows: Sequence[Row], view: str) -> list[Case]:
    return [case(row, view) for row in rows]


def fitted(rows: Sequence[Row], start: Parameters | None = None) -> Parameters:
    """Weights from both views of every run: a log of a run has the same cause.

    Public programs do not teach weights: most are healthy toys, and what they do (full batches, no workers) would be
    taken for harmless everywhere. They bound what is claimed.
    """
    rows = [row for row in rows if source_of(row) != "real"]
    return fit([*cases(rows, "observed"), *cases(rows, "log")], all_causes(), start=start)


def source_of(row: Row) -> str:
    """One of SOURCES."""
    head = row.host.partition("/")[0]
    return head if head in SOURCES and "/" in row.host else "zoo"


def is_field(row: Row) -> bool:
    """Whether it is a program of its own, written or found, rather than a variant of a host."""
    return source_of(row) != "zoo"


def fold(row: Row) -> str:
    """What is held out together."""
    return f"{source_of(row)}/{crc32(row.host.encode()) % FIELD_FOLDS}" if is_field(row) else row.host


def held_out(rows: Sequence[Row], everything: Parameters) -> dict[str, list[tuple[Row, Model]]]:
    """For both views, every row with a model that has not seen its program."""
    causes = all_causes()
    folds = sorted({fold(row) for row in rows if source_of(row) != "real"})
    # Each fit ends where it ends whatever it starts from; near the end it gets there faster.
    models = {name: Model(causes, fitted([row for row in rows if fold(row) != name], everything)) for name in folds}
    models |= {fold(row): Model(causes, everything) for row in rows if source_of(row) == "real"}
    return {view: [(row, models[fold(row)]) for row in rows] for view in VIEWS}


def answer(row: Row, parameters: Parameters, view: str) -> Answer:
    model = Model(all_causes(), parameters)
    levels = getattr(row, view)
    causes = model.causes_given_wrong(levels)
    leading = max(causes, key=lambda name: causes[name])
    found = assess(model, levels, view)
    return Answer(row, view, found, causes, model.healthy_chance(levels), model.basis(leading, levels))


def calibration_error(answers: Sequence[Answer]) -> tuple[float, list[tuple[float, float, int]]]:
    """Expected calibration error of the leading hypothesis, and (confidence, share right, count) by bin."""
    confidence = np.array([a.confidence for a in answers])
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
    claims = [a for a in answers if a.alarm or a.suspicion]
    numbers = {
        "cases": len(answers),
        "top1": share(a.correct for a in sick),
        "top3": share(a.among(3) for a in sick),
        "called_sick": share(a.alarm for a in sick),
        "suspected": share(a.suspicion for a in sick),
        "missed": share(a.found.verdict == HEALTHY for a in sick),
        "false_alarms": share(a.alarm for a in well),
        "false_suspicions": share(a.suspicion for a in well),
        "not_called_healthy": share(a.found.verdict != HEALTHY for a in well),
        "seen_right": share(a.correct for a in claims if a.basis == "seen"),
        "suspected_right": share(a.correct for a in claims if a.basis == "suspected"),
        "calibration_error": calibration_error(answers)[0],
    }
    say(f"{view}: {len(sick)} sick and {len(well)} healthy runs, held out in turn")
    for line in (
        "cause first {top1:.1%}   among the first three {top3:.1%}   calibration error {calibration_error:.3f}",
        "sick runs called sick {called_sick:.1%}, suspected {suspected:.1%}, healthy {missed:.1%}",
        "healthy runs called sick {false_alarms:.1%}, suspected {false_suspicions:.1%}, "
        "not called healthy {not_called_healthy:.1%}",
        "leading cause right: seen {seen_right:.1%}, suspected {suspected_right:.1%}",
    ):
        say("  " + line.format(**numbers))
    sure = [a for a in answers if a.alarm and a.confidence >= SURE]
    say(f"  claims of at least {SURE:.0%}: {len(sure)}, right {share(a.correct for a in sure):.1%}, "
        f"on healthy runs {sum(a.row.cause == HEALTHY for a in sure)}")  # fmt: skip
    return numbers


def share(flags: Iterable[bool]) -> float:
    found = list(flags)
    return float(np.mean(found)) if found else float("nan")


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
            confusions[(a.row.cause, a.named[0])] += 1
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
        f"{sum(source_of(row) == 'field' for row in rows)} field programs, "
        f"{sum(source_of(row) == 'real' for row in rows)} public programs",
        "held_out": {view: {k: round(v, 4) for k, v in found.items()} for view, found in numbers.items()},
    }
    content = {
        "about": about,
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
    rows = [row for path in (CORPUS, FIELD, REAL) if path.exists() for row in read(path)]
    rows = [row for row in rows if not (row.cause in all_causes() and all_causes()[row.cause].advisory)]
    everything = fitted(rows)
    answers, numbers = {}, {}
    for view, found in held_out(rows, everything).items():
        answers[view] = [answer(row, model.parameters, view) for row, model in found]
        for name, source in SOURCES.items():
            chosen = [a for a in answers[view] if source_of(a.row) == name]
            if chosen:
                numbers[f"{source}, {view}"] = report(f"{source}, {view}", chosen)
                if not args.brief:
                    details(chosen)
    if args.plot:
        draw(args.plot, answers)
    if args.fit:
        write_fitted(rows, everything, numbers)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
