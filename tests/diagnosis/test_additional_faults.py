"""Two mistakes in one program are both named; what follows from one of them is not."""

from __future__ import annotations

import pytest

from traindx.causes import all_causes
from traindx.diagnosis.additional_faults import additional_faults
from traindx.diagnosis.parameters import current
from traindx.signs import all_signs


def beside(first: str, **levels: float) -> list[str]:
    known = {name.replace("_", "-"): level for name, level in levels.items()}
    return [name for name, _ in additional_faults(current(), known, first)]


def test_every_sign_that_shows_a_fault_catches_a_cause() -> None:
    caught = {sign for cause in all_causes().values() for sign in cause.caught_by}
    faults = {unit.id for unit in all_signs().values() if unit.shows == "fault"}
    assert faults - caught <= {"output-ignores-input"}  # an experiment's finding that several causes explain


@pytest.mark.parametrize(
    ("first", "sign", "second"),
    [
        ("missing-zero-grad", "eval_in_train_mode", "eval-mode-missing"),
        ("eval-mode-missing", "loss_inputs_are_probabilities", "double-softmax"),
        ("double-softmax", "params_outside_optimizer", "params-not-in-optimizer"),
        ("lr-decays-too-soon", "params_without_gradient", "detached-graph"),
        ("leaked-validation", "loss_broadcasts", "broadcast-loss"),
    ],
)
def test_a_second_fault_that_is_seen(first: str, sign: str, second: str) -> None:
    assert beside(first, **{sign: 1.0}) == [second]


def test_three_faults() -> None:
    found = beside("missing-zero-grad", eval_in_train_mode=1.0, loss_inputs_are_probabilities=1.0, samples_shared=1.0)
    assert set(found) == {"eval-mode-missing", "double-softmax", "leaked-validation"}


def test_effects_are_no_faults_of_their_own() -> None:
    effects = {"loss_stuck": 1.0, "dead_units": 1.0, "weights_hardly_move": 1.0, "train_eval_inputs_differ": 1.0}
    assert beside("missing-zero-grad", loss_diverged=1.0, update_ratio_high=1.0, **effects) == []
    assert beside("wrong-loss", softmax_over_batch=1.0, loss_over_one_class=1.0) == []  # what it explains
    assert beside("missing-zero-grad", eval_in_train_mode=0.4) == []  # not plain
