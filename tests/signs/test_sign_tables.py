"""Pairs of series by step, against dictionaries."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from traindx.record import Series
from traindx.signs._tables import median, paired

VALUES = st.floats(-1e6, 1e6) | st.just(float("nan")) | st.just(float("inf"))
POINTS = st.lists(st.tuples(st.integers(0, 12), VALUES), max_size=20)


def series(points):
    return Series("made", np.array([s for s, _ in points], np.int64), np.array([v for _, v in points], np.float64))


@given(POINTS, POINTS)
def test_pairs_are_those_of_dictionaries(one, other):
    mine, its = ({step: value for step, value in points if np.isfinite(value)} for points in (one, other))
    both = sorted(mine.keys() & its.keys())
    left, right = paired(series(one), series(other))
    assert left.tolist() == [mine[step] for step in both]
    assert right.tolist() == [its[step] for step in both]


@given(st.lists(VALUES, max_size=20))
def test_the_median_is_that_of_the_sorted_finite_values(values):
    finite = sorted(value for value in values if np.isfinite(value))
    middle = len(finite) // 2
    if not finite:
        assert median(values) is None
    else:
        assert median(values) == (finite[middle] if len(finite) % 2 else finite[middle - 1] / 2 + finite[middle] / 2)
