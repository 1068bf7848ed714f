"""A second, independently written set of training logs with labels, in the formats of the first."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import asdict
from pathlib import Path

from benchmarks.textbook.formats import FORMATS
from benchmarks.textbook.generate import Case, _choose, _generator, _write

from . import (  # noqa: F401  (registers all families)
    sick_learning,
    sick_machine,
    sick_numbers,
    sick_validation,
    sound_objectives,
    sound_rhythms,
)
from .shapes import SECOND

SICK, HEALTHY = 5, 6

__all__ = ["SECOND", "Case", "generate_second"]


def generate_second(folder: str | Path, seed: int = 0) -> list[Case]:
    """Write all families below a folder, with `cases.json`, and return their cases."""
    target = Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    allowed = list(FORMATS.values())
    cases: list[Case] = []
    used: Counter[str] = Counter()
    for index, entry in enumerate(SECOND.values()):
        # Severity goes with the variant; the shift spreads the odd ones out over the families.
        first, count = index % 3, HEALTHY if entry.condition == "healthy" else SICK
        mine: Counter[str] = Counter()
        for variant in range(first, first + 12 * count):
            if sum(mine.values()) == count:
                break
            run = entry.make(_generator(seed, f"second/{entry.name}", variant), variant)
            chosen = _choose(run, allowed, used, mine)
            if chosen is None:
                continue
            cases.append(_write(target, "second", entry, variant, run, chosen, seed))
            used[chosen.name] += 1
            mine[chosen.name] += 1
        if sum(mine.values()) < count:
            raise RuntimeError(f"family {entry.name} found too few fitting formats")
    body = json.dumps([asdict(case) for case in cases], indent=1)
    (target / "cases.json").write_text(body + "\n", encoding="utf-8")
    return cases
