"""Scores the curve signs on real logs: per label the precision and recall of the primary sign, and every miss.

    python benchmarks/reallogs/score.py DIRECTORY [-v]

DIRECTORY holds `index.tsv` (columns local_path, label, verdict, key_step, note …) and the logs. Nothing is copied from
there. A log whose label is `ambiguous` is read and not scored.

A log counts as found when a sign of its label is raised, whatever its severity; the primary sign is the gravest raised
one among those that can be a label. A healthy log is right when nothing is raised as a warning or worse.
"""

from __future__ import annotations

import csv
import sys
from collections import Counter
from pathlib import Path

from traindx.readers import ReaderError, principal, read
from traindx.signs import Sign, measure_all

# Any of these signs is what the label means. Flat from the start and flat after progress were labelled alike.
LABELS = {
    "nonfinite": {"loss-not-finite"},
    "isolated-nonfinite": {"loss-not-finite"},
    "diverged": {"loss-diverged"},
    "spike": {"loss-spike"},
    "plateau": {"loss-plateau", "loss-stuck", "loss-falling-slowly"},
    "stuck": {"loss-stuck"},
    "overfitting": {"validation-rising", "validation-gap"},
    "memorising": {"memorising"},
    "still-improving": {"still-improving"},
    "several-runs": {"several-runs"},
    "too-short": {"too-short"},
    "oscillating": {"loss-oscillating", "late-noise-floor"},
    "lr-problem": {"lr-collapsed", "lr-constant"},
}
ORDER = ("critical", "warning", "info")
# Where several signs are equally grave, the one that says more about the run comes first.
RANK = [
    "loss-not-finite",
    "loss-diverged",
    "loss-stuck",
    "loss-spike",
    "validation-rising",
    "memorising",
    "validation-gap",
    "loss-plateau",
    "lr-collapsed",
    "several-runs",
    "too-short",
    "still-improving",
    "loss-falling-slowly",
    "lr-constant",
]


def main(arguments: list[str]) -> int:
    directory = Path(next((a for a in arguments if not a.startswith("-")), "reallogs"))
    if not (directory / "index.tsv").is_file():
        print(f"{directory}: no index.tsv there", file=sys.stderr)
        return 2
    with open(directory / "index.tsv", newline="", encoding="utf-8") as file:
        entries = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    found: Counter[str] = Counter()
    total: Counter[str] = Counter()
    primaries: Counter[str] = Counter()
    right: Counter[str] = Counter()
    unread = 0
    for entry in entries:
        label, path = entry["label"], directory / entry["local_path"]
        raised = raised_signs(path)
        unread += raised is None and label != "no-loss"
        if label == "ambiguous":
            continue
        total[label] += 1
        primary = _primary(label, raised)
        if primary is not None:
            primaries[primary] += 1
            right[primary] += primary in LABELS.get(label, ())
        hit = is_found(label, raised)
        found[label] += hit
        if not hit or "-v" in arguments:
            shown = "; ".join(f"{s.id} {s.severity} {s.level:.2f} @{s.onset}" for s in raised or []) or "nothing raised"
            shown = "not readable as a loss log" if raised is None else shown
            print(f"{'ok  ' if hit else 'miss'} {label:<19}{entry['local_path']}")
            print(f"     {shown}\n     ({entry['verdict']})")
    _table(found, total, primaries, right)
    print(f"unread: {unread} of {len(entries)}")
    return 0


def raised_signs(path: Path) -> list[Sign] | None:
    """The raised signs of the log's main run, gravest first; None where the reader finds no loss."""
    try:
        run = principal(read(str(path)))
    except ReaderError:
        return None
    signs = measure_all(run).raised()
    rank = {sign: i for i, sign in enumerate(RANK)}
    return sorted(signs, key=lambda s: (ORDER.index(s.severity), rank.get(s.id, len(RANK))))


def _primary(label: str, raised: list[Sign] | None) -> str | None:
    """What the log would be called by its gravest sign. Notes do not make a healthy log sick."""
    if label == "healthy" and all(sign.severity == "info" for sign in raised or []):
        return None
    return next((sign.id for sign in raised or [] if sign.id in RANK), None)


def is_found(label: str, raised: list[Sign] | None) -> bool:
    if label == "no-loss":
        return raised is None or all(sign.severity == "info" for sign in raised)
    if raised is None:
        return False
    if label == "healthy":
        return all(sign.severity == "info" for sign in raised)
    hits = [sign for sign in raised if sign.id in LABELS.get(label, ())]
    if label == "isolated-nonfinite":
        return any(sign.severity == "info" for sign in hits)
    return bool(hits)


def _table(found: Counter[str], total: Counter[str], primaries: Counter[str], right: Counter[str]) -> None:
    print(f"\n{'label':<20}{'logs':>5}{'found':>7}{'recall':>8}{'as primary sign':>18}{'precision':>11}")
    for label in sorted(total):
        signs = LABELS.get(label, set())
        named, correct = sum(primaries[s] for s in signs), sum(right[s] for s in signs)
        precision = f"{correct / named:.2f}" if named else "-"
        share = found[label] / total[label]
        print(f"{label:<20}{total[label]:>5}{found[label]:>7}{share:>8.2f}{named:>18}{precision:>11}")
    print(
        f"{'all':<20}{sum(total.values()):>5}{sum(found.values()):>7}{sum(found.values()) / sum(total.values()):>8.2f}"
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
