"""Two faults in one program: are both found? `python -m benchmarks.accuracy.pairs CACHE [--pairs N]`.

Pairs of the zoo's faults that are seen rather than inferred, drawn at random from the same host, neither of which
explains the other. Each pair is trained under observation once (kept in CACHE) and diagnosed. Prints how often the
leading cause is one of the two, how often both are named as faults to mend, how often both are among the first three
hypotheses, and how often a fault is named that is not there. The weights were fitted on the single faults of the same
hosts, so this measures the combination, not the recognition.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

from traindx import load
from traindx.causes import all_causes
from traindx.diagnosis import diagnose
from traindx.zoo.cases import Case, variants_by_host
from traindx.zoo.edits import EditError
from traindx.zoo.execution import Cache, run_cases


def pairs(number: int) -> list[Case]:
    """At most one of each pair of causes, so that all kinds get their turn."""
    drawn, taken = [], set()
    candidates = list(_all_pairs())
    random.Random(0).shuffle(candidates)
    for case in candidates:
        assert case.background is not None
        kind = frozenset((case.cause, case.background.cause))
        if kind not in taken and len(drawn) < number:
            taken.add(kind)
            drawn.append(case)
    return drawn


def _all_pairs() -> Iterator[Case]:
    causes = all_causes()
    for host, variants in variants_by_host().items():
        seen = [v for v in variants if v.cause in causes and causes[v.cause].caught_by]
        for first, second in combinations([v for v in seen if v.severity == "gross" and not v.base], 2):
            explained = {*causes[first.cause].explains, *causes[second.cause].explains}
            case = Case(host, first, 0, background=second)
            if first.cause != second.cause and not explained & {first.cause, second.cause} and _fits(case):
                yield case


def _fits(case: Case) -> bool:
    try:
        return bool(case.source)
    except EditError:
        return False


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cache", type=Path)
    parser.add_argument("--pairs", type=int, default=60)
    options = parser.parse_args()
    cache, cases = Cache(options.cache), pairs(options.pairs)
    for _ in run_cases(cases, cache):
        pass
    leading = both = within = extra = 0
    for case in cases:
        assert case.background is not None
        wanted = {case.cause, case.background.cause}
        diagnosis = diagnose(load(cache.record(case)))
        named = {diagnosis.leading.cause, *(fault.cause for fault in diagnosis.additional)}
        leading += diagnosis.leading.cause in wanted
        both += wanted <= named
        within += wanted <= {hypothesis.cause for hypothesis in diagnosis.hypotheses[:3]}
        extra += bool(named - wanted)
        if not wanted <= named:
            print(f"{case.host}: {' and '.join(sorted(wanted))}; named {', '.join(sorted(named))}")
    total = max(1, len(cases))
    print(f"{len(cases)} pairs: leading cause is one of the two {leading / total:.0%}, both named {both / total:.0%}, "
          f"both among the first three {within / total:.0%}, another one named {extra / total:.0%}")  # fmt: skip


if __name__ == "__main__":
    main()
