"""Event files: what SummaryWriter and TensorFlow write, in the folders people keep them in."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from _write import event_file, histogram_event, scalar_event, tensor_event

from traindx.readers import read


def test_a_file_of_scalars_gives_its_curves(tmp_path: Path) -> None:
    events = [scalar_event(s, 1e9 + s, **{"Loss/train": 3.0 / (1 + s)}) for s in range(0, 100_000, 250)]
    [run] = read(event_file(tmp_path / "events.out.tfevents.1.host", events))
    series = run.series("loss/train")
    assert series.steps.tolist() == list(range(0, 100_000, 250))
    assert series.values == pytest.approx([3.0 / (1 + s) for s in range(0, 100_000, 250)], rel=1e-6)
    assert run.kind == "tensorboard"


def test_tags_of_equal_length_are_told_apart(tmp_path: Path) -> None:
    events = []
    for s in range(200):
        events += [scalar_event(s, s, **{f"grad/{k:03d}": float(k)}) for k in range(30)]
        events.append(scalar_event(s, s, loss=1.0))
    [run] = read(event_file(tmp_path / "events.out.tfevents.1.h", events))
    for k in range(30):
        assert np.all(run.series(f"raw/grad/{k:03d}").values == k)


def test_several_values_in_one_event(tmp_path: Path) -> None:
    events = [scalar_event(s, s, **{"train/loss": s, "val/loss": 2.0 * s, "lr": 0.1}) for s in range(1, 50)]
    [run] = read(event_file(tmp_path / "events.out.tfevents.1.h", events))
    assert run.series("loss/validation").values.tolist() == [2.0 * s for s in range(1, 50)]
    assert len(run.series("lr")) == 49


def test_tensor_scalars_and_siblings_for_train_and_validation(tmp_path: Path) -> None:
    for phase, factor in (("train", 1.0), ("validation", 3.0)):
        events = [tensor_event(s, s, "epoch_loss", factor * (10 - s)) for s in range(10)]
        event_file(tmp_path / "logs" / phase / "events.out.tfevents.1.h.v2", events)
    [run] = read(tmp_path / "logs")
    assert run.series("loss/train").values.tolist() == [10.0 - s for s in range(10)]
    assert run.series("loss/validation").values.tolist() == [3.0 * (10 - s) for s in range(10)]


def test_folders_of_add_scalars_are_one_run(tmp_path: Path) -> None:
    event_file(tmp_path / "events.out.tfevents.1.h", [scalar_event(s, s, lr=0.1) for s in range(5)])
    for part, value in (("train", 1.0), ("val", 2.0)):
        events = [scalar_event(s, s, Loss=value) for s in range(5)]
        event_file(tmp_path / f"Loss_{part}" / "events.out.tfevents.2.h", events)
    [run] = read(tmp_path)
    assert set(run.series("loss/train").values) == {1.0}
    assert set(run.series("loss/validation").values) == {2.0}


def test_histograms_are_passed_over(tmp_path: Path) -> None:
    events = []
    for s in range(50):
        events += [histogram_event(s, s, "weights", buckets=10 + s), scalar_event(s, s, loss=1.0)]
    [run] = read(event_file(tmp_path / "events.out.tfevents.1.h", events))
    assert list(run.series_names) == ["loss/train"]
    assert len(run.series("loss/train")) == 50


def test_a_second_file_that_resumes_takes_over(tmp_path: Path) -> None:
    event_file(tmp_path / "events.out.tfevents.1.h", [scalar_event(s, s, loss=1.0) for s in range(100)])
    event_file(tmp_path / "events.out.tfevents.2.h", [scalar_event(s, 1000 + s, loss=2.0) for s in range(60, 150)])
    [run] = read(tmp_path)
    series = run.series("loss/train")
    assert series.steps.tolist() == list(range(150))
    assert np.all(series.values[60:] == 2.0)
    assert run.facts["log"]["resumed_at"] == [60]


def test_a_second_file_that_starts_again_is_another_run(tmp_path: Path) -> None:
    for number in (1, 2):
        events = [scalar_event(s, 1e4 * number + s, loss=float(number)) for s in range(50)]
        event_file(tmp_path / f"events.out.tfevents.{number}.h", events)
    first, second = read(tmp_path)
    assert set(first.series("loss/train").values) == {1.0}
    assert set(second.series("loss/train").values) == {2.0}
    assert first.facts["log"]["runs"] == 2


def test_nan_infinity_and_negative_steps_survive(tmp_path: Path) -> None:
    events = [scalar_event(s, 1.0, loss=v) for s, v in ((-1, 1.0), (0, math.nan), (1, math.inf))]
    [run] = read(event_file(tmp_path / "events.out.tfevents.1.h", events))
    assert run.series("loss/train").steps.tolist() == [-1, 0, 1]
    assert np.isnan(run.series("loss/train").values[1]) and np.isinf(run.series("loss/train").values[2])


def test_a_file_still_being_written_gives_what_is_there(tmp_path: Path) -> None:
    path = event_file(tmp_path / "events.out.tfevents.1.h", [scalar_event(s, s, loss=1.0) for s in range(100)])
    path.write_bytes(path.read_bytes()[:-20])
    [run] = read(path)
    assert len(run.series("loss/train")) == 99


def test_agrees_with_tensorboards_own_reader(tmp_path: Path) -> None:
    accumulator = pytest.importorskip("tensorboard.backend.event_processing.event_accumulator")
    writer = pytest.importorskip("torch.utils.tensorboard").SummaryWriter(str(tmp_path))
    for s in range(300):
        writer.add_scalar("train/loss", 2.0 / (s + 1), s * 7)
        if s % 10 == 0:
            writer.add_scalar("val/loss", 3.0 / (s + 1), s * 7)
    writer.close()
    theirs = accumulator.EventAccumulator(str(tmp_path), size_guidance={"scalars": 0})
    theirs.Reload()
    [run] = read(tmp_path)
    for tag, name in (("train/loss", "loss/train"), ("val/loss", "loss/validation")):
        assert run.series(name).steps.tolist() == [point.step for point in theirs.Scalars(tag)]
        assert run.series(name).values.tolist() == [point.value for point in theirs.Scalars(tag)]
