"""Makes the reference ranges of the lab report, and prints how well they hold on runs that they have not seen.

    python -m benchmarks.reference [--build] [--write] [--cache FOLDER] [--workers N] [-v]

--build first runs the programs that have no record yet (resumable); --write writes `src/traindx/facts/reference.json`.
Healthy runs come from the zoo, a sample of the open field programs, public logs of the tuned half, the open half of the
textbook logs, and made curves; observed runs also serve as logs, with what a log of them would show. Printed is, with a
fifth of the hosts, programs or repositories held out at a time: which share of the readings of healthy runs is flagged
(10 % and 2 % are what ranges of 5-95 % and 1-99 % promise), and how often one of the three most unusual facts of a
faulty run of the zoo or the field is measured by a sign that its cause requires or rests on most.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from benchmarks.reference.measured import FOLDS, Measured, everything
from benchmarks.reference.patients import HEALTHY, build
from traindx.causes import all_causes
from traindx.facts import Quantity, Range, Reference, Sample, all_quantities, as_object, made_from
from traindx.facts.reference import FEWEST_HOSTS, FEWEST_RUNS, FILE, scaled
from traindx.facts.report import about_signs, fact_of, in_order, unusual_of
from traindx.facts.types import LOG, OBSERVED

CACHE = Path(".zoo-cache/reference")
STRONG = 2.0  # the weight from which a cause rests on a sign


def samples(runs: Iterable[Measured]) -> Iterator[Sample]:
    for run in runs:
        for quantity, reading in run.found:
            for stratum in reading.strata:
                yield Sample(quantity, stratum, reading.value, run.host, run.source)


def view_of(source: str) -> str:
    return OBSERVED if source in ("zoo", "field programs") else LOG


def table(runs: Sequence[Measured]) -> Reference:
    by_source = Counter(run.source for run in runs)
    hosts = {source: len({run.host for run in runs if run.source == source}) for source in by_source}
    about = {
        "made_by": "python -m benchmarks.reference --build --write",
        "sources": {
            source: {"runs": count, "hosts": hosts[source], "view": view_of(source)}
            for source, count in sorted(by_source.items())
        },
    }
    return made_from(samples(runs), about, runs=FEWEST_RUNS, hosts=FEWEST_HOSTS)


def held_out(runs: Sequence[Measured]) -> dict[int, Reference]:
    """For each fold the table of the healthy runs of all others."""
    return {fold: table([r for r in runs if r.cause == HEALTHY and r.fold != fold]) for fold in range(FOLDS)}


def healthy_flags(runs: Sequence[Measured], tables: dict[int, Reference], verbose: bool) -> None:
    """Readings flagged on healthy runs. Every host counts alike."""
    units = all_quantities()
    shares: dict[str, dict[str, Counter[str]]] = defaultdict(lambda: defaultdict(Counter))
    by_quantity: dict[str, Counter[str]] = defaultdict(Counter)
    varying: dict[str, dict[str, Counter[str]]] = defaultdict(lambda: defaultdict(Counter))
    any_critical: dict[str, list[bool]] = defaultdict(list)
    free = {name for name, ranges in tables[0].ranges.items() if any(_varies(units[name], r) for r in ranges.values())}
    for run in runs:
        if run.cause != HEALTHY:
            continue
        flags = [
            (name, known.flag(reading.value, units[name]))
            for name, reading in run.found
            if (known := tables[run.fold].range_of(units[name], reading)) is not None
        ]
        kind = view_of(run.source)
        shares[kind][run.host].update(flag for _, flag in flags)
        varying[kind][run.host].update(flag for name, flag in flags if name in free)
        any_critical[kind].append(any(flag in ("HH", "LL") for _, flag in flags))
        for name, flag in flags:
            by_quantity[f"{name} ({kind})"][flag] += 1
    for kind, hosts in sorted(shares.items()):
        print(f"healthy, {kind}: {len(any_critical[kind])} runs of {len(hosts)} hosts, held out: {_rates(hosts)}")
        print(f"  of quantities that vary in healthy runs: {_rates(varying[kind])}; "
              f"runs with an HH or LL: {sum(any_critical[kind]) / len(any_critical[kind]):.0%}")  # fmt: skip
    if verbose:
        for name, counts in sorted(by_quantity.items(), key=lambda i: -(i[1]["HH"] + i[1]["LL"]) / sum(i[1].values())):
            n, critical = sum(counts.values()), counts["HH"] + counts["LL"]
            print(f"  {name:<60} {n:4d}  flagged {1 - counts[''] / n:5.1%}  HH/LL {critical / n:5.1%}")


def _varies(quantity: Quantity, known: Range) -> bool:
    low, high = scaled((known.low, known.high), quantity)
    return high - low > 2 * quantity.grain


def _rates(hosts: Mapping[str, Counter[str]]) -> str:
    counted = [(counts, sum(counts.values())) for counts in hosts.values() if counts]
    flagged = sum(1 - counts[""] / n for counts, n in counted) / len(counted)
    critical = sum((counts["HH"] + counts["LL"]) / n for counts, n in counted) / len(counted)
    return f"flagged {flagged:.1%}, HH or LL {critical:.2%}"


def own_signs(cause: str) -> set[str]:
    """The signs that a cause is required to show, or that it rests on most."""
    unit = all_causes()[cause]
    return {*unit.requires, *(sign for sign, weight in unit.supports.items() if weight >= STRONG)}


def faulty_flags(runs: Sequence[Measured], tables: dict[int, Reference], verbose: bool) -> None:
    """Whether a fault's own quantity is among the three most unusual, by its host's held-out table."""
    for source in dict.fromkeys(run.source for run in runs if run.cause != HEALTHY):
        _faulty(source, [run for run in runs if run.cause != HEALTHY and run.source == source], tables, verbose)


def _faulty(source: str, runs: Sequence[Measured], tables: dict[int, Reference], verbose: bool) -> None:
    units, found, first = all_quantities(), [], []
    for run in runs:
        facts = in_order(
            [
                fact_of(units[name], reading, tables[run.fold].range_of(units[name], reading))
                for name, reading in run.found
            ]
        )
        top = unusual_of(facts, 3)
        own = own_signs(run.cause)
        hits = [bool(own & about_signs(units[fact.id])) for fact in top]
        found.append(any(hits))
        first.append(bool(hits and hits[0]))
        if verbose and not any(hits):
            print(f"  not among three: {run.name}: " + "; ".join(f"{f.flag} {f.text}" for f in top))
            rest = [f for f in facts if own & about_signs(units[f.id])]
            print("      its own: " + "; ".join(f"{f.flag or '-'} {f.text}" for f in rest[:3]))
    print(f"faulty, {source}: {len(found)} runs, held out: the fault's own quantity among the three most unusual "
          f"{sum(found) / len(found):.0%}, first {sum(first) / len(first):.0%}")  # fmt: skip


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", action="store_true")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--cache", type=Path, default=CACHE)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("-v", action="store_true")
    given = parser.parse_args()
    if given.build:
        build(given.cache, ("zoo", "field"), given.workers)
    runs = everything(given.cache, given.workers)
    tables = held_out(runs)
    healthy_flags(runs, tables, given.v)
    faulty_flags(runs, tables, given.v)
    if given.write:
        made = table([run for run in runs if run.cause == HEALTHY])
        FILE.write_text(json.dumps(as_object(made), indent=1) + "\n", encoding="utf-8")
        print(f"wrote {FILE.name}: {len(made.ranges)} quantities, {sum(map(len, made.ranges.values()))} ranges")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
