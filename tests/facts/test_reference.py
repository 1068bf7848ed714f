"""Ranges: quantiles, percentiles and flags, against plain computations."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from facts_samples import normal_range, quantity

from traindx.facts import Range, Sample, as_object, made_from, of_object, shipped
from traindx.facts.reference import FILE, LEVELS, weighted_quantiles


def samples(values: list[float], hosts: list[str] | None = None, stratum: str = "observed") -> list[Sample]:
    names = hosts or [str(i) for i in range(len(values))]
    return [Sample("q", stratum, value, host, "zoo") for value, host in zip(values, names, strict=True)]


def test_quantiles_are_those_of_the_weighted_distribution() -> None:
    rng = np.random.default_rng(0)
    values, counts = rng.normal(size=400), rng.integers(1, 5, 400)
    repeated = np.sort(np.repeat(values, counts))
    naive = [repeated[int(level * len(repeated))] for level in LEVELS]
    found = weighted_quantiles(list(values), [float(count) for count in counts])
    for mine, other in zip(found, naive, strict=True):
        assert mine == pytest.approx(other, abs=0.25)


def test_every_host_counts_alike() -> None:
    """A thousand runs of one program do not outvote twenty programs."""
    many = samples([100.0] * 1000, ["one"] * 1000) + samples([float(i) for i in range(20)])
    (found,) = made_from(many, {}, runs=5, hosts=5).ranges["q"].values()
    assert found.quantiles[3] == pytest.approx(9.5, abs=1.0)  # the median of 0 to 19 and one 100
    assert (found.n, found.hosts) == (1020, 21)


def test_too_few_runs_or_programs_make_no_range() -> None:
    assert not made_from(samples([1.0] * 4), {}, runs=5, hosts=3).ranges
    assert not made_from(samples([1.0] * 50, ["a", "b"] * 25), {}, runs=5, hosts=3).ranges


@pytest.mark.parametrize(
    ("value", "flag"), [(50.0, ""), (95.0, ""), (97.0, "H"), (3.0, "L"), (150.0, "HH"), (-50.0, "LL")]
)
def test_flags(value: float, flag: str) -> None:
    assert normal_range().flag(value, quantity()) == flag


def test_a_difference_below_the_grain_is_not_flagged() -> None:
    assert normal_range().flag(96.0, quantity(grain=2.0)) == ""
    same = Range("observed", (0.0,) * 7, 300, 200, {})
    assert same.flag(0.01, quantity(grain=0.02)) == ""
    assert same.flag(0.5, quantity(grain=0.02)) == "HH"


def test_few_programs_know_no_last_per_cent() -> None:
    assert normal_range(hosts=8).flag(1e6, quantity()) == "H"


def test_percentiles_follow_the_quantiles() -> None:
    known = normal_range()
    for level, value in zip(LEVELS, known.quantiles, strict=True):
        assert known.percentile(value, quantity()) == pytest.approx(100 * level)
    assert known.percentile(60.0, quantity()) == pytest.approx(60.0)
    assert known.percentile(-1.0, quantity()) < 1
    assert known.percentile(1000.0, quantity()) > 99


def test_a_value_that_most_healthy_runs_show_has_the_middle_of_their_percentiles() -> None:
    mostly_zero = Range("observed", (0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 2.0), 300, 200, {})
    assert mostly_zero.percentile(0.0, quantity()) == pytest.approx(38.0)  # between 1 and 75 %


def test_ratios_are_compared_as_ratios() -> None:
    decades = Range("observed", (1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1.0, 10.0), 300, 200, {})
    by_ratio = quantity(log=True)
    assert decades.surprise(1e-4, by_ratio) == pytest.approx(decades.surprise(1.0, by_ratio))
    assert decades.surprise(1.0, by_ratio) == pytest.approx(1.0)
    assert decades.percentile(math.sqrt(1e-2 * 1e-1), by_ratio) == pytest.approx(62.5)


def test_the_file_is_what_was_counted() -> None:
    made = made_from(samples([float(i) for i in range(100)]), {"made_by": "a test"}, runs=5, hosts=5)
    again = of_object(json.loads(json.dumps(as_object(made))))
    assert again.ranges["q"]["observed"].quantiles == pytest.approx(made.ranges["q"]["observed"].quantiles, rel=1e-3)
    assert again.about == made.about


def test_no_shipped_number_without_source() -> None:
    table = shipped()
    assert FILE.exists()
    assert table.about["made_by"].startswith("python -m benchmarks.reference")
    for ranges in table.ranges.values():
        for stratum, known in ranges.items():
            assert known.n == sum(known.sources.values())
            assert known.n >= known.hosts >= 5
            assert list(known.quantiles) == sorted(known.quantiles), stratum
            assert set(known.sources) <= set(table.about["sources"])
