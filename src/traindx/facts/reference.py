"""What healthy runs show: quantiles of each quantity by kind of run, in `reference.json` or from a user's own runs.

`python -m benchmarks.reference` writes the file. Every program or repository counts alike, however many runs it gave.
"""

from __future__ import annotations

import json
import math
import os
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from ..record import RecordError, Run
from ..signs import Signs
from ..units import by_id, modules_of
from ..wording import counted, listed
from .types import Flag, Quantity, Reading, view

STRICT = "TRAINDX_STRICT"  # set by the tests: an error in a quantity is raised


@cache
def all_quantities() -> dict[str, Quantity]:
    """Every quantity, by id."""
    modules = modules_of("traindx.facts.quantities", defining="QUANTITIES")
    return by_id(((unit.id, unit) for module in modules for unit in module.QUANTITIES), "quantities")


def readings(run: Run, signs: Signs) -> Iterator[tuple[Quantity, Reading]]:
    """What could be read. An error costs the quantity alone: a report with one line less is better than none."""
    if run.told:
        return  # statements of a person are no measurements
    for quantity in all_quantities().values():
        try:
            with np.errstate(all="ignore"):
                found = list(quantity.read(run, signs))
        except RecordError:
            raise
        except Exception:
            if os.environ.get(STRICT):
                raise
            continue
        for reading in found:
            if math.isfinite(reading.value) and (reading.value > 0 or not quantity.log):
                yield quantity, reading


FILE = Path(__file__).with_name("reference.json")
LEVELS = (0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99)
LOW, MIDDLE, HIGH = 1, 3, 5  # the places of 5, 50 and 95 % in LEVELS
FEWEST_RUNS, FEWEST_HOSTS = 12, 5  # that a stratum of the shipped table needs; else a coarser one serves
FEWEST_FOR_CRITICAL = 12  # hosts


@dataclass(frozen=True)
class Sample:
    """One reading of a healthy run. `host`: what it is a run of; `source`: zoo, field, public logs …"""

    quantity: str
    stratum: str
    value: float
    host: str
    source: str


@dataclass(frozen=True)
class Range:
    """The quantiles of one quantity in one stratum."""

    stratum: str
    quantiles: Sequence[float]
    n: int
    hosts: int
    sources: Mapping[str, int]

    @property
    def low(self) -> float:
        return self.quantiles[LOW]

    @property
    def high(self) -> float:
        return self.quantiles[HIGH]

    def flag(self, value: float, quantity: Quantity) -> Flag:
        """H and L beyond 5 and 95 %. HH and LL beyond 1 and 99 %, which few runs place badly: by a margin.

        The margin is the width of the tail, times how many hosts are lacking to know its end. Of a few hosts nothing
        is known of the last per cent.
        """
        (v, *q), grain = scaled((value, *self.quantiles), quantity), quantity.grain
        spare = 100.0 / max(self.hosts, 1)
        top, bottom = q[-1] + spare * (q[-1] - q[HIGH]) / 2, q[0] - spare * (q[LOW] - q[0]) / 2
        known = self.hosts >= FEWEST_FOR_CRITICAL
        if known and v > top + grain and v > q[HIGH] + grain:
            return "HH"
        if known and v < bottom - grain and v < q[LOW] - grain:
            return "LL"
        return "H" if v > q[HIGH] + grain else "L" if v < q[LOW] - grain else ""

    def percentile(self, value: float, quantity: Quantity) -> float:
        """By interpolation between the quantiles; in a run of equal quantiles the middle of it."""
        (v, *q) = scaled((value, *self.quantiles), quantity)
        if v < q[0] or v > q[-1]:
            return 0.5 if v < q[0] else 99.5
        below, above = np.searchsorted(q, v, "left"), np.searchsorted(q, v, "right")
        if above > below:
            return 100.0 * (LEVELS[below] + LEVELS[above - 1]) / 2
        share = (v - q[below - 1]) / (q[below] - q[below - 1])
        return 100.0 * (LEVELS[below - 1] + share * (LEVELS[below] - LEVELS[below - 1]))

    def surprise(self, value: float, quantity: Quantity) -> float:
        """How far the value lies from the median: 1 at the end of the healthy range, more beyond it."""
        (v, *q) = scaled((value, *self.quantiles), quantity)
        side = q[HIGH] - q[MIDDLE] if v > q[MIDDLE] else q[MIDDLE] - q[LOW]
        return abs(v - q[MIDDLE]) / max(side, quantity.grain)


@dataclass(frozen=True)
class Reference:
    """Ranges by quantity and stratum."""

    about: Mapping[str, Any]
    ranges: Mapping[str, Mapping[str, Range]]
    note: str = ""  # what has to be said of it, in one sentence

    def range_of(self, quantity: Quantity, reading: Reading) -> Range | None:
        """The range of the narrowest stratum that enough runs stand behind."""
        known = self.ranges.get(quantity.id, {})
        return next((known[stratum] for stratum in reading.strata if stratum in known), None)


def scaled(values: Iterable[float], quantity: Quantity) -> list[float]:
    """On the scale on which equal differences mean equal things."""
    if not quantity.log:
        return list(values)
    return [math.log(max(value, 1e-300)) for value in values]


def made_from(samples: Iterable[Sample], about: Mapping[str, Any], *, runs: int, hosts: int) -> Reference:
    """`runs` and `hosts`: the fewest that a range takes."""
    grouped: dict[tuple[str, str], list[Sample]] = defaultdict(list)
    for sample in samples:
        grouped[sample.quantity, sample.stratum].append(sample)
    ranges: dict[str, dict[str, Range]] = defaultdict(dict)
    for (quantity, stratum), found in sorted(grouped.items()):
        by_host = Counter(sample.host for sample in found)
        if len(found) >= runs and len(by_host) >= hosts:
            weights = [1 / by_host[sample.host] for sample in found]
            quantiles = weighted_quantiles([sample.value for sample in found], weights)
            sources = Counter(sample.source for sample in found)
            ranges[quantity][stratum] = Range(
                stratum, quantiles, len(found), len(by_host), dict(sorted(sources.items()))
            )
    return Reference(about, ranges)


def weighted_quantiles(values: Sequence[float], weights: Sequence[float]) -> list[float]:
    """Quantiles at LEVELS of the distribution in which each value has its weight, interpolated between values."""
    order = np.argsort(values, kind="stable")
    ordered, shares = np.asarray(values, np.float64)[order], np.asarray(weights, np.float64)[order]
    places = (np.cumsum(shares) - shares / 2) / shares.sum()
    return [float(value) for value in np.interp(LEVELS, places, ordered)]


def as_object(reference: Reference) -> dict[str, Any]:
    """The content of the file."""
    quantities = {
        quantity: {
            found.stratum: {
                "n": found.n, "hosts": found.hosts, "sources": dict(found.sources),
                "q": [float(f"{value:.4g}") for value in found.quantiles],
            }
            for found in ranges.values()
        }
        for quantity, ranges in reference.ranges.items()
    }  # fmt: skip
    return {"about": dict(reference.about), "levels": list(LEVELS), "quantities": quantities}


def of_object(content: Mapping[str, Any]) -> Reference:
    ranges = {
        quantity: {
            stratum: Range(stratum, tuple(found["q"]), found["n"], found["hosts"], found["sources"])
            for stratum, found in strata.items()
        }
        for quantity, strata in content["quantities"].items()
    }
    return Reference(content["about"], ranges)


@cache
def shipped() -> Reference:
    """The table of the package; an empty one before it was made."""
    if not FILE.exists():
        return Reference({}, {})
    return of_object(json.loads(FILE.read_text(encoding="utf-8")))


FEWEST = 3  # runs behind a range


def of_runs(good: Sequence[tuple[Run, Signs]], run: Run) -> Reference:
    """The ranges of these runs, each of which counts as a host; `run` is what they are to be compared with."""
    samples = [
        Sample(quantity.id, stratum, reading.value, f"{number}", "your runs")
        for number, (one, signs) in enumerate(good)
        for quantity, reading in readings(one, signs)
        for stratum in reading.strata
    ]
    made = made_from(samples, {"sources": {"your runs": {"runs": len(good)}}}, runs=FEWEST, hosts=FEWEST)
    return Reference(made.about, made.ranges, _note([one for one, _ in good], run))


def _note(good: Sequence[Run], run: Run) -> str:
    """What makes the comparison doubtful, in one sentence."""
    if len(good) < FEWEST:
        return (
            f"A reference takes at least {FEWEST} good runs, and there {'is' if len(good) == 1 else 'are'} {len(good)}."
        )
    if not any(view(one) == view(run) for one in good):
        kinds = ("observed runs", "logs") if view(run) != "observed" else ("logs", "observed runs")
        return f"The reference holds only {kinds[0]}; such numbers are not compared with those of {kinds[1]}."
    own, theirs = _layers(run), set().union(*(_layers(one) for one in good))
    if own and theirs and _alike(own).isdisjoint(_alike(theirs)):
        return (
            f"The reference is of another kind of network: its layers are {listed(sorted(theirs))}, those of this run "
            f"{listed(sorted(own))}."
        )
    sizes = sorted(_size(one) for one in good if _size(one))
    if sizes and _size(run) and not sizes[0] / 10 <= _size(run) <= sizes[-1] * 10:
        return (
            f"The reference is of networks of another size: {sizes[0]:,.0f} to {sizes[-1]:,.0f} parameters, and this "
            f"run's has {counted(_size(run), 'parameter')}."
        )
    return ""


def _alike(layers: set[str]) -> set[str]:
    """The layers that tell what kind of network this is: nearly every one ends in a linear layer."""
    return layers - {"Linear"} or layers


def _layers(run: Run) -> set[str]:
    return {p.module for p in run.parameters if p.matrix and p.module}


def _size(run: Run) -> float:
    return sum(p.elements for p in run.parameters)
