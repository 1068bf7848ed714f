"""The causes are exactly the public ones, and speak only of signs that exist."""

from __future__ import annotations

import re

import pytest

from traindx.causes import Cause, all_causes, find_cause
from traindx.signs import all_signs

# The public ids, by family. They are stable: a change here is a change of the tool's output.
PUBLIC = {
    "learning-rate": "lr-too-high lr-too-low no-warmup lr-never-decays lr-decays-too-soon",
    "optimizer": (
        "missing-zero-grad params-not-in-optimizer frozen-layers detached-graph loss-sign-flipped "
        "unscaled-accumulation clip-too-tight weight-decay-too-strong optimizer-misconfigured "
        "batch-too-small batch-too-large no-momentum adam-coupled-decay"
    ),
    "signal": (
        "vanishing-gradients exploding-gradients dead-relus saturated-activations init-too-small init-too-large "
        "symmetric-init no-nonlinearity"
    ),
    "loss": (
        "double-softmax softmax-wrong-axis wrong-loss output-range-mismatch broadcast-loss unstable-math low-precision "
        "clip-before-unscale"
    ),
    "data": (
        "nonfinite-data unscaled-inputs unscaled-targets bad-batch noisy-labels class-imbalance unshuffled-data "
        "train-val-mismatch scrambled-axes target-leakage leaked-validation padding-in-loss validation-on-nothing"
    ),
    "generalisation": (
        "overfitting model-too-small over-regularized undertrained eval-mode-missing train-mode-missing "
        "batchnorm-tiny-batch double-descent"
    ),
    "cost": "slow-data-loading graph-retained",
    "distributed": "replicas-diverged straggler-rank duplicated-data",
}
FAMILY_OF = {cause: family for family, causes in PUBLIC.items() for cause in causes.split()}
ADVISORY = {"no-momentum", "adam-coupled-decay", "double-descent"}


def test_causes_are_the_public_ones() -> None:
    assert {cause.id: cause.family for cause in all_causes().values()} == FAMILY_OF


def test_there_are_60_of_them() -> None:
    assert len(FAMILY_OF) == sum(len(causes.split()) for causes in PUBLIC.values()) == 60


def test_module_is_named_like_its_cause() -> None:
    for cause in all_causes().values():
        assert cause.fix.__module__.rsplit(".", 1)[-1].replace("_", "-") == cause.id


def test_advisory_causes() -> None:
    assert {cause.id for cause in all_causes().values() if cause.advisory} == ADVISORY & set(all_causes())


def test_cause_is_found_as_people_type_it() -> None:
    found = find_cause(" LR_too_high ")
    assert found is not None
    assert found.id == "lr-too-high"


@pytest.mark.parametrize("cause", all_causes().values(), ids=lambda cause: cause.id)
def test_evidence_is_sound(cause: Cause) -> None:
    assert all(0 < weight <= 8 for weight in cause.supports.values()), "a weight is a positive number of log-odds"
    assert set(cause.requires) <= set(cause.supports), "a required sign does not speak for the cause"
    assert set(cause.seen_by) <= set(cause.supports), "a seen sign does not speak for the cause"
    assert set(cause.explains) <= set(FAMILY_OF) - {cause.id}
    assert cause.supports, "no sign can show it"


@pytest.mark.parametrize("cause", all_causes().values(), ids=lambda cause: cause.id)
def test_neighbours_are_causes(cause: Cause) -> None:
    """Each page says with what it is confused, and names causes that there are."""
    section = cause.page.split("\n## Often confused with\n")[1].split("\n## ")[0]
    named = set(re.findall(r"`([a-z]+(?:-[a-z]+)+)`", section))
    assert named, "no neighbour is named"
    assert named <= set(FAMILY_OF) - {cause.id}


def test_every_sign_named_exists() -> None:
    signs = set(all_signs())
    if not signs:
        pytest.skip("this tree holds no signs")
    for cause in all_causes().values():
        named = {*cause.supports, *cause.requires, *cause.seen_by}
        assert named <= signs, f"{cause.id} names {sorted(named - signs)}"
