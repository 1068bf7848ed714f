"""Signs that speak of the end of a run need looks at its end."""

from __future__ import annotations

import numpy as np
import pytest

from traindx.record import Run, RunBuilder
from traindx.signs import Missing, Sign, all_signs

LATE = ("gradients-oppose", "gradient-settled", "predictions-collapsed", "weights-growing", "weights-shrinking")


def run_with(until: float | None, **facts: object) -> Run:
    builder = RunBuilder("run.tdx", "observed").fact("steps", 200)
    steps = np.arange(0, 200, 4)
    for name in ("grad_cosine", "grad_norm", "weight_norm", "correct/majority", "label_majority"):
        builder.series(name, steps, np.linspace(0.5, 0.6, len(steps)))
    if until is not None:
        looks = {"looks": 9, "first": 0, "last": int(until * 200) - 1, "until": until}
        builder.fact("coverage", {"light": looks, "deep": looks})
    for key, value in facts.items():
        builder.fact(key, value)
    return builder.build()


@pytest.mark.parametrize("sign", LATE)
@pytest.mark.parametrize("until", [None, 0.9, 1.0])
def test_a_sign_of_the_end_is_measured_where_the_end_was_looked_at(sign: str, until: float | None) -> None:
    assert isinstance(all_signs()[sign].measure(run_with(until)), Sign)


@pytest.mark.parametrize("sign", LATE)
def test_a_sign_of_the_end_is_missing_where_looks_stopped_early(sign: str) -> None:
    found = all_signs()[sign].measure(run_with(0.5))
    assert isinstance(found, Missing) and "step 99 of 200" in found.reason


@pytest.mark.parametrize("sign", LATE)
def test_a_sign_of_the_end_is_missing_where_observers_were_switched_off(sign: str) -> None:
    run = run_with(1.0, observers_off={"everything": "several threads train at once"})
    found = all_signs()[sign].measure(run)
    assert isinstance(found, Missing) and "to its end" in found.reason
