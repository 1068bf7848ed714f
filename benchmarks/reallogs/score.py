"""Scores signs and answers on real logs: found per label, healthy without alarm, unread, and every miss.

    python -m benchmarks.reallogs.score [DIRECTORY | INDEX.tsv] [--half tune|unseen] [--signs] [--peers] [-v]

DIRECTORY holds `index.tsv` (columns local_path, label, optionally also: further labels that are right too) and the
logs; without it, `reallogs` in the directory named by TRAINDX_SHARED, or `../shared` beside the repository. Nothing is
copied from there. `ambiguous` logs are read and not scored.

`manifest.tsv` here lists 384 public logs of 252 repositories (address, commit, path) with two independent labels each:
one by somebody who never saw traindx, a second blind one. Where they agree, or mean nearly the same, the label counts;
where they differ it is `ambiguous`. Copy it as `index.tsv` into a folder that holds the files under their `local_path`.
Half of the repositories, by a hash of their name, are `unseen`: nobody looks at them while changing the tool
(`--half unseen` scores them and shows no single log). `second_manifest.tsv` lists 160 more of 150 other repositories,
with one label each by somebody who never saw traindx.

*Signs*: a log counts as found when a sign of its label is raised, whatever its severity; a healthy one when nothing is
raised as a warning or worse. *Answer*: the headline must name a condition that the label means, with at least 50 %, and
a healthy log must not be called sick. With --signs only the first is scored; with --peers other tools read the files.
"""

from __future__ import annotations

import csv
import os
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from traindx.diagnosis import diagnose
from traindx.readers import ReaderError, principal, read
from traindx.signs import Sign, measure_all

# Any of these signs is what the label means. Flat from the start and flat after progress were labelled alike.
LABELS = {
    "nonfinite": {"loss-not-finite"},
    "isolated-nonfinite": {"loss-not-finite"},
    "diverged": {"loss-diverged", "loss-heads-wrong-way"},
    "spike": {"loss-spike", "early-instability", "spikes-periodic"},
    "plateau": {"loss-plateau", "loss-stuck", "loss-falling-slowly", "no-learning-signal", "accuracy-at-chance"},
    "stuck": {"loss-stuck", "accuracy-at-chance", "training-at-chance", "no-learning-signal"},
    "overfitting": {"validation-rising", "validation-gap", "generalisation-gap", "validation-never-improves"},
    "memorising": {"memorising"},
    "oscillating": {"loss-oscillating", "late-noise-floor", "no-learning-signal"},
    "still-improving": {"still-improving", "validation-still-improving"},
    "several-runs": {"several-runs"},
    "too-short": {"too-short"},
    "lr-problem": {"lr-collapsed", "lr-constant"},
    "vanishing-gradients": {"gradients-zero", "gradients-vanish"},
    "one-class": {"one-class-metrics", "accuracy-at-chance"},
}
# What a headline may name for the label.
CONDITIONS = {
    "nonfinite": {"non-finite", "exploding-gradients", "precision-lost", "diverging"},
    "isolated-nonfinite": {"non-finite"},
    "diverged": {"diverging", "exploding-gradients", "non-finite"},
    "spike": {"spiking", "exploding-gradients"},
    "plateau": {"plateau", "underfitting", "not-learning", "learning-slowly", "learning-rate-gone"},
    "stuck": {"not-learning", "plateau", "underfitting", "one-class", "vanishing-gradients"},
    "overfitting": {"overfitting", "not-generalising"},
    "memorising": {"overfitting"},
    "oscillating": {"oscillating"},
    "still-improving": {"unfinished"},
    "lr-problem": {"learning-rate-gone", "learning-slowly"},
    "vanishing-gradients": {"vanishing-gradients", "not-learning"},
    "one-class": {"one-class", "not-learning"},
}
SAID = 0.5
QUIET = {"healthy", "no-loss", "rl"}
NOTES = {
    "still-improving",
    "several-runs",
    "too-short",
    "isolated-nonfinite",
    "plateau",
}  # true of runs that need not be sick
ORDER = ("critical", "warning", "info")


@dataclass
class Log:
    """What was made of one log; `signs` is None where no loss was read."""

    label: str
    also: set[str]
    path: str
    remark: str
    signs: list[Sign] | None = None
    verdict: str = ""
    named: str = ""  # the condition that the headline names, or the advice that a healthy log gets first

    @property
    def labels(self) -> set[str]:
        return {self.label} | self.also

    @property
    def found(self) -> bool:
        """By its raised signs."""
        if self.signs is None:
            return "no-loss" in self.labels
        grave = any(sign.severity != "info" for sign in self.signs)
        if self.labels & QUIET and not grave:
            return True
        if "isolated-nonfinite" in self.labels:
            return any(sign.id == "loss-not-finite" and sign.severity == "info" for sign in self.signs)
        return any(sign.id in wanted(self.labels) for sign in self.signs)

    @property
    def answered(self) -> bool:
        """By what the diagnosis puts first."""
        if self.signs is None:
            return "no-loss" in self.labels
        if self.labels & QUIET and self.verdict != "sick":
            return True
        if self.labels & NOTES and self.verdict != "sick":
            return any(sign.id in wanted(self.labels & NOTES) for sign in self.signs)
        return self.named in set().union(*(CONDITIONS.get(label, set()) for label in self.labels))


def wanted(labels: set[str]) -> set[str]:
    """The signs that mean one of the labels; a label may also be a sign's own id."""
    return set().union(*(LABELS.get(label, {label}) for label in labels))


def main(arguments: list[str]) -> int:
    index = _index(arguments)
    if not index.is_file():
        print(f"{index}: not there", file=sys.stderr)
        return 2
    half = next((a for a in arguments if a in ("tune", "unseen")), None)
    chosen = [entry for entry in entries(index) if half in (None, entry.get("half"))]
    logs = [examine(entry, index, "--signs" not in arguments) for entry in chosen]
    for log in logs if half != "unseen" else ():
        right = log.found and (log.answered or "--signs" in arguments)
        if log.label != "ambiguous" and (not right or "-v" in arguments):
            _show(log)
    table(logs, "--signs" not in arguments)
    if "--peers" in arguments:
        from benchmarks.peers.reallogs import compare

        compare(index, half)
    return 0


def entries(index: Path) -> list[dict[str, str]]:
    with open(index, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def _index(arguments: list[str]) -> Path:
    given = [Path(a) for a in arguments if not a.startswith("-") and a not in ("tune", "unseen")]
    shared = Path(os.environ.get("TRAINDX_SHARED", Path(__file__).parents[2] / ".." / "shared"))
    place = given[0] if given else shared / "reallogs"
    return place / "index.tsv" if place.is_dir() else place


def place_of(entry: dict[str, str], index: Path) -> Path:
    """A path beside the index, below a folder of the index's own name (`tune` for tune.tsv), or below `files`."""
    folder, name = index.parent, index.stem
    places = [folder / entry["local_path"], *(folder / part / entry["local_path"] for part in (name, "files"))]
    return next((place for place in places if place.exists()), places[0])


def examine(entry: dict[str, str], index: Path, answer: bool) -> Log:
    also = {part.strip() for part in (entry.get("also") or "").replace(";", ",").split(",")} - {"", "-"}
    log = Log(entry["label"], also, entry["local_path"], entry.get("verdict") or entry.get("note") or "")
    try:
        run = principal(read(str(place_of(entry, index))))
    except ReaderError:
        return log
    if answer:
        diagnosis = diagnose(run)
        signs = list(diagnosis.signs.values())
        log.verdict, head = diagnosis.verdict, diagnosis.headline
        if diagnosis.verdict == "healthy" and diagnosis.conditions:
            log.named = diagnosis.conditions[0].id
        elif head.kind == "condition" and head.confidence >= SAID:
            log.named = head.id or ""
    else:
        signs = list(measure_all(run).values())
    log.signs = sorted((s for s in signs if s.raised), key=lambda s: (ORDER.index(s.severity), -s.level))
    return log


def _show(log: Log) -> None:
    print(
        f"{'found' if log.found else 'missed'}, answer {'right' if log.answered else 'wrong'}: {log.label} {log.path}"
    )
    if log.signs is None:
        print("     not readable as a loss log")
    else:
        shown = "; ".join(f"{s.id} {s.severity} {s.level:.2f} @{s.onset}" for s in log.signs) or "nothing raised"
        print(f"     {log.verdict} {log.named}: {shown}")
    print(f"     ({log.remark})")


def table(logs: list[Log], answer: bool) -> None:
    """Per label what was found by signs and by the answer, then the sums that count."""
    scored = [log for log in logs if log.label != "ambiguous"]
    total, found, answered = Counter(log.label for log in scored), Counter(), Counter()
    found.update(log.label for log in scored if log.found)
    answered.update(log.label for log in scored if log.answered)
    print(f"\n{'label':<20}{'logs':>6}{'signs':>7}" + (f"{'answer':>8}" if answer else ""))
    for label in sorted(total):
        print(f"{label:<20}{total[label]:>6}{found[label]:>7}" + (f"{answered[label]:>8}" if answer else ""))
    rows, right = len(scored), sum(found.values())
    print(f"{'all':<20}{rows:>6}{right:>7}" + (f"{sum(answered.values()):>8}" if answer else ""))
    unread = sum(log.signs is None and "no-loss" not in log.labels for log in logs)
    named = [log.answered for log in scored if log.labels & CONDITIONS.keys()]
    well = [log.verdict != "sick" for log in scored if log.label == "healthy"]
    if answer:
        print(f"condition named {sum(named)} of {len(named)}; healthy not called sick {sum(well)} of {len(well)}")
    print(f"right by signs {right / max(rows, 1):.0%}; unread {unread} of {len(logs)}; {len(logs) - rows} ambiguous")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
