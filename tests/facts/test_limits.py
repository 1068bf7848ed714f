"""The limits of signs lie where healthy runs hardly are."""

from __future__ import annotations

import pytest
from benchmarks.reference.limits import limits

from traindx.signs import Scale

MOST = 5.5  # per cent of healthy programs: what a range of 5-95 % leaves on one side, and half a per cent of its error
# What is common in healthy runs, too. Each is only one of several things that its cause asks for.
COMMON = {
    "target-scale-large": "a last layer can learn the scale of raw targets, given the time",
    "gradient-settled": "it shows that a minimum was reached, which is no fault",
}


BEYOND = {limit.unit.id: max(other.beyond for other in limits() if other.unit is limit.unit) for limit in limits()}


@pytest.mark.parametrize("sign_id", BEYOND)
def test_hardly_a_healthy_run_raises_a_sign(sign_id: str) -> None:
    assert (BEYOND[sign_id] <= MOST) != (sign_id in COMMON)


def test_where_a_sign_is_raised() -> None:
    for scale in (Scale(2.0, 6.0), Scale(0.1, 10.0, log=True), Scale(8.0, 1.0, log=True)):
        assert scale.level(scale.raised_from) == pytest.approx(0.5)
