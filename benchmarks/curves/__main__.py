"""Prints, sign by sign, how often a fault of each size is found, and how often healthy curves raise an alarm.

    python -m benchmarks.curves [--tune] [--seeds N] [--peers] [-v]

The pool that thresholds were tuned on is left out unless --tune asks for it. With --peers the other tools that are
installed read the same curves. Nothing is written.
"""

from __future__ import annotations

import sys
import warnings
from collections import Counter
from collections.abc import Iterator

import numpy as np

from traindx.record import Run
from traindx.signs import Sign, all_signs, measure_all

from .case import Maker
from .courses import HELD_OUT, TUNE
from .healthy import KINDS, Kind
from .sick import FAULTS, Fault

SIGNS = {unit.id for unit in all_signs().values() if unit.family == "curves"}


def main(arguments: list[str]) -> int:
    pool = TUNE if "--tune" in arguments else HELD_OUT
    seeds = int(arguments[arguments.index("--seeds") + 1]) if "--seeds" in arguments else 4
    warnings.simplefilter("error")
    print(f"pool: {pool}, {seeds} seeds a cell\n")
    _power(pool, seeds, "-v" in arguments)
    _alarms(pool, seeds, "-v" in arguments)
    if "--peers" in arguments:
        from . import beside

        beside.main(pool, seeds)
    return 0


def sick_runs(fault: Fault, effect: float, pool: str, seeds: int) -> Iterator[tuple[str, Run]]:
    for points in fault.points:
        for noise in fault.noises:
            for seed in range(seeds):
                rng = _random(pool, fault.name, effect, points, noise, seed)
                curves = fault.make(Maker(pool, rng, points, noise), effect)
                yield f"{points} points, noise {noise:g}, seed {seed}", curves.run(rng)


def healthy_runs(kind: Kind, pool: str, seeds: int) -> Iterator[tuple[str, Run]]:
    for points in kind.points:
        for seed in range(2 * seeds):
            rng = _random(pool, kind.name, points, seed)
            maker = Maker(pool, rng, points, float(rng.choice([0.01, 0.05, 0.15])))
            yield f"{points} points, seed {seed}", kind.make(maker).run(rng)


def _random(*key: object) -> np.random.Generator:
    """The same curve in every run; the pools share no seed."""
    return np.random.default_rng([ord(c) for c in repr(key)])


def raised(run: Run) -> list[Sign]:
    return [sign for sign in measure_all(run).raised() if sign.id in SIGNS]


def _power(pool: str, seeds: int, verbose: bool) -> None:
    print(f"{'fault':<24}{'found by':<46}found at each effect size (* = two engineers would agree)")
    for fault in FAULTS:
        cells = []
        for effect in fault.effects:
            hits = []
            for where, run in sick_runs(fault, effect, pool, seeds):
                signs = raised(run)
                hits.append(any(sign.id in fault.signs for sign in signs))
                if verbose and not hits[-1] and effect >= fault.agreed:
                    print(f"   missed: {fault.name} {effect:g}, {where}: {', '.join(s.id for s in signs)}")
            star = "*" if effect >= fault.agreed else ""
            cells.append(f"{effect:g}{star}: {sum(hits)}/{len(hits)}")
        print(f"{fault.name:<24}{', '.join(fault.signs):<46}{'  '.join(cells)}")


def _alarms(pool: str, seeds: int, verbose: bool) -> None:
    print(f"\n{'healthy kind':<32}{'curves':>7}{'alarms':>8}  by (warning or critical; notes in brackets)")
    by_sign: Counter[str] = Counter()
    by_note: Counter[str] = Counter()
    total = false = 0
    for kind in KINDS:
        alarms: Counter[str] = Counter()
        count = wrong = 0
        for where, run in healthy_runs(kind, pool, seeds):
            count += 1
            signs = [s for s in raised(run) if s.id not in kind.expected]
            grave = [s for s in signs if s.severity != "info"]
            wrong += bool(grave)
            alarms.update(s.id for s in grave)
            by_note.update(s.id for s in signs if s.severity == "info")
            if verbose and grave:
                print(f"   false: {kind.name}, {where}: {'; '.join(s.text for s in grave)}")
        by_sign.update(alarms)
        total, false = total + count, false + wrong
        shown = ", ".join(f"{name} {times}" for name, times in alarms.most_common())
        print(f"{kind.name:<32}{count:>7}{wrong:>8}  {shown}")
    print(f"{'all':<32}{total:>7}{false:>8}  {100 * false / total:.2f} % of curves")
    print("false alarms by sign: " + (", ".join(f"{k} {v}" for k, v in by_sign.most_common()) or "none"))
    print("notes on healthy curves: " + ", ".join(f"{k} {v}" for k, v in by_note.most_common()))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
