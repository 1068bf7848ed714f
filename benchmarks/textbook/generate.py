"""Writes one half of the material: files and `cases.json`."""

from __future__ import annotations

import json
import zlib
from collections import Counter
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from . import families  # noqa: F401  (registers all families)
from .formats import FORMATS
from .held import HELD_FAMILIES, HELD_FORMATS
from .model import FAMILIES, Family, Run
from .writers.base import Format, Written

CLOSED_VARIANTS = 1000
OPEN_SICK, OPEN_HEALTHY = 5, 8
HELD_SICK, HELD_HEALTHY = 5, 8
CROSS_SICK, CROSS_HEALTHY = 2, 3


@dataclass(frozen=True)
class Case:
    """One log and its truth; `since` and `slack` are in the log's own `unit`, None where there is no onset."""

    id: str
    family: str
    format: str
    variant: int
    files: list[str]
    verdict: str
    condition: str
    accepted: list[str]
    since: float | None
    slack: float | None
    unit: str
    rows: int
    hard: int


def _generator(seed: int, text: str, variant: int) -> np.random.Generator:
    return np.random.default_rng([seed, zlib.crc32(text.encode()), variant])


def _onset(run: Run, written: Written) -> tuple[float | None, float | None]:
    """The onset and its slack in the log's own unit."""
    row = run.truth.row
    if row is None:
        return None, None
    if written.by_row:
        return float(row), float(run.truth.slack)
    gap = float(run.plan.at[1] - run.plan.at[0]) * written.factor
    at = float(run.plan.at[row]) * written.factor + written.offset
    # Where steps became printed fractions of an epoch, two decimals are all that a reader may have.
    slack = max(run.truth.slack * gap, 0.01 if written.factor != 1.0 else 0.0)
    return float(f"{at:.8g}"), float(f"{slack:.6g}")


def _choose(run: Run, allowed: list[Format], used: Counter[str], mine: Counter[str]) -> Format | None:
    """The format that fits, was used least by this family, and then least over all."""
    fit = [f for f in allowed if f.fits(run)]
    # A run with extra printed lines is shown as a printed log first.
    printed = bool(run.notes) and not mine
    return min(fit, key=lambda f: (printed and not f.tail, mine[f.name], used[f.name], f.name)) if fit else None


def _keep_only_carried(run: Run, chosen: Format) -> Run:
    """The run without the columns that the format cannot carry."""
    kept = chosen.columns(run)
    run.columns = {name: run.columns[name] for name in kept}
    return run


def _write(folder: Path, half: str, entry: Family, variant: int, run: Run, chosen: Format, seed: int) -> Case:
    written = chosen.write(_keep_only_carried(run, chosen), _generator(seed, f"{entry.name}/{chosen.name}", variant))
    case = f"{half}-{entry.name}-{variant:04d}-{chosen.name}"
    # TensorBoard readers want a folder with an event file in it; every other format is a single file.
    name = f"{case}/events.out.tfevents.1700000000.host" if chosen.suffix == "tfevents" else f"{case}.{chosen.suffix}"
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(written.content)
    since, slack = _onset(run, written)
    truth = run.truth
    return Case(
        case,
        entry.name,
        chosen.name,
        variant,
        [name],
        truth.verdict,
        truth.condition,
        list(truth.accepted),
        since,
        slack,
        written.unit,
        run.plan.n,
        run.plan.hard,
    )


def _orders(half: str) -> list[tuple[Family, int, int, list[Format]]]:
    """What to write: family, first variant, count, allowed formats."""
    held = [f for f in FORMATS.values() if f.name in HELD_FORMATS]
    free = [f for f in FORMATS.values() if f.name not in HELD_FORMATS]
    orders: list[tuple[Family, int, int, list[Format]]] = []
    for index, entry in enumerate(FAMILIES.values()):
        # Two variants make one grade of hardness; the shift spreads the grades over the families.
        shift = 2 * (index % 3)
        closed = CLOSED_VARIANTS + shift
        sound = entry.condition == "healthy"
        if half == "open":
            if entry.name not in HELD_FAMILIES:
                orders.append((entry, shift, OPEN_HEALTHY if sound else OPEN_SICK, free))
        elif entry.name in HELD_FAMILIES:
            orders.append((entry, closed, HELD_HEALTHY if sound else HELD_SICK, free + held))
        else:
            orders.append((entry, closed, CROSS_HEALTHY if sound else CROSS_SICK, held))
    return orders


def generate(folder: str | Path, half: str = "open", seed: int = 0) -> list[Case]:
    """Write the open or the closed half below a folder, with `cases.json`, and return its cases."""
    if half not in ("open", "closed"):
        raise ValueError(f"half must be 'open' or 'closed', not {half!r}")
    target = Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    cases: list[Case] = []
    used: Counter[str] = Counter()
    for entry, first, count, allowed in _orders(half):
        variant, done = first, 0
        mine: Counter[str] = Counter()
        while done < count and variant < first + 12 * count:
            run = entry.make(_generator(seed, entry.name, variant), variant)
            chosen = _choose(run, allowed, used, mine)
            if chosen is not None:
                cases.append(_write(target, half, entry, variant, run, chosen, seed))
                used[chosen.name] += 1
                mine[chosen.name] += 1
                done += 1
            variant += 1
        if done < count:
            raise RuntimeError(f"family {entry.name} found only {done} of {count} fitting formats")
    body = json.dumps([asdict(case) for case in cases], indent=1)
    (target / "cases.json").write_text(body + "\n", encoding="utf-8")
    return cases
