"""Padding that the loss counts, and validation that runs over nothing."""

from __future__ import annotations

import pytest

from traindx.record import RunBuilder
from traindx.signs import Missing, Sign
from traindx.signs.data.batches import padding_counted
from traindx.signs.data.evaluation import validation_empty

NAN = float("nan")


def observed() -> RunBuilder:
    return RunBuilder("run.tdx", "observed")


@pytest.mark.parametrize(("share", "counted", "raised"), [(0.4, 1.0, True), (0.4, 0.0, False), (0.02, 1.0, False)])
def test_padding_is_raised_only_where_the_loss_counts_it(share: float, counted: float, raised: bool) -> None:
    run = observed().fact("padding", {"id": 0, "share": share, "counted": counted}).build()
    found = padding_counted.measure(run)
    assert isinstance(found, Sign) and found.raised is raised and found.value == pytest.approx(share * counted)


def test_padding_that_was_not_looked_for_is_missing() -> None:
    assert isinstance(padding_counted.measure(observed().build()), Missing)


def test_a_loader_without_a_batch_is_seen() -> None:
    loaders = [{"role": "train", "batches": 9, "size": 90}, {"role": None, "batches": 0, "size": 7}]
    found = validation_empty.measure(observed().fact("loaders", loaders).build())
    assert isinstance(found, Sign) and found.raised and "7 samples" in found.text


def test_evaluation_that_saw_samples_is_not_on_nothing() -> None:
    loaders = [{"role": None, "batches": 0, "size": 7}]
    run = observed().fact("loaders", loaders).fact("data/eval", {"samples": 40}).build()
    found = validation_empty.measure(run)
    assert isinstance(found, Sign) and not found.raised


@pytest.mark.parametrize(
    ("validation", "training", "raised"),
    [
        ([NAN, NAN, NAN], [2.0, 1.0, 0.5], True),
        ([1.0, NAN, NAN], [2.0, 1.0, 0.5], False),  # it became NaN: the model, not the set
        ([NAN, NAN, NAN], [2.0, NAN, NAN], False),
        ([1.0, 0.9, 0.8], [2.0, 1.0, 0.5], False),
    ],
)
def test_validation_that_never_was_a_number(validation: list[float], training: list[float], raised: bool) -> None:
    run = RunBuilder("log.csv", "csv").series("loss/validation", range(3), validation)
    found = validation_empty.measure(run.series("loss/train", range(3), training).build())
    assert isinstance(found, Sign) and found.raised is raised


def test_one_evaluation_is_too_few() -> None:
    run = RunBuilder("log.csv", "csv").series("loss/validation", [0], [NAN]).series("loss/train", [0], [1.0]).build()
    assert isinstance(validation_empty.measure(run), Missing)
