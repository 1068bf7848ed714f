"""A run that could train better is healthy, with advice: it is never suspected, and sick only by its outcome."""

from __future__ import annotations

import pytest

from traindx.causes import all_causes
from traindx.diagnosis.parameters import current
from traindx.diagnosis.verdict import assess
from traindx.treatments import all_experiments, all_interventions

LARGE_BATCH = {"few-updates-per-epoch": 1.0, "batch-size-large": 1.0, "gradients-agree": 1.0, "noise-scale-small": 1.0}
UNFINISHED = {"much-to-gain": 1.0, "still-improving": 1.0}


@pytest.mark.parametrize("signs", [LARGE_BATCH, UNFINISHED])
def test_what_could_be_gained_is_advice_for_a_run_that_learned(signs: dict[str, float]) -> None:
    found = assess(current(), signs | {"training-learned": 1.0, "validation-learned": 1.0}, "observed")
    assert found.verdict == "healthy" and found.suspected is None


def test_a_batch_that_is_too_large_is_never_suspected() -> None:
    for learned in (0.0, 0.2, 0.6, 1.0):
        found = assess(current(), LARGE_BATCH | {"training-learned": learned}, "observed")
        assert found.suspected is None, learned


def test_a_bad_outcome_is_sick_whatever_could_be_gained() -> None:
    levels = LARGE_BATCH | {"training-at-chance": 1.0, "loss-stuck": 1.0, "training-learned": 0.0}
    found = assess(current(), levels, "observed")
    assert found.verdict == "sick" and "training-at-chance" in found.bad


def test_suspicions_have_a_command_that_settles_them() -> None:
    """A cause that neither an experiment nor a treatment tests is advice, a fault that is seen, or a matter of cost."""
    units = [*all_interventions().values(), *all_experiments().values()]
    treated = {cause for unit in units for cause in unit.tests}
    for cause in all_causes().values():
        untested = not cause.settled_by and cause.id not in treated and not cause.advisory and cause.supports
        if untested:
            assert cause.gains or cause.caught_by or cause.family == "distributed", cause.id
