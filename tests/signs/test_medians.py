"""The moving median of the signs against scipy's, on both sides of the size at which it is used."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import ndimage

from traindx.signs import _medians


@pytest.mark.parametrize("most", [0, 1 << 22])
@pytest.mark.parametrize("width", [1, 3, 5, 31])
@pytest.mark.parametrize("length", [1, 2, 3, 40, 1000])
def test_the_moving_median_is_that_of_scipy(length: int, width: int, most: int, monkeypatch) -> None:
    monkeypatch.setattr(_medians, "MOST_CELLS", most)
    monkeypatch.setattr(_medians, "BLOCK", 100)
    y = np.random.default_rng(length).normal(size=length).round(1)
    if length >= width:  # with a wider window scipy returns what happens to stand in the memory
        assert np.array_equal(_medians.median_filter(y, width), ndimage.median_filter(y, size=width))
        nearest = ndimage.median_filter(y, size=width, mode="nearest")
        assert np.array_equal(_medians.median_filter(y, width, beyond="edge"), nearest)
    whole = [np.median(y[i : i + width]) for i in range(length - width + 1)]
    assert np.array_equal(_medians.running_median(y, width), whole)
