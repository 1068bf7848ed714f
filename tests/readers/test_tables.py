"""CSV, TSV, JSON lines and JSON documents."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest

from traindx.readers import Options, ReaderError, read
from traindx.record import Run


def one(tmp_path: Path, text: str, options: Options | None = None) -> Run:
    path = tmp_path / "log"
    path.write_text(text)
    [run] = read(path, options)
    return run


def test_lightning_rows_for_steps_epochs_and_validation(tmp_path: Path) -> None:
    rows = ["epoch,step,train_loss_epoch,train_loss_step,val_loss"]
    for s in range(0, 100, 10):
        rows.append(f"{s // 50},{s},,{3 - s / 100},")
        if s % 50 == 40:
            rows += [f"{s // 50},{s},,,{2 - s / 100}", f"{s // 50},{s},9.9,,"]
    run = one(tmp_path, "\n".join(rows))
    assert run.series("loss/train").steps.tolist() == list(range(0, 100, 10))
    assert run.series("loss/train").values == pytest.approx([3 - s / 100 for s in range(0, 100, 10)])
    assert run.series("loss/validation").steps.tolist() == [40, 90]
    assert run.facts["log"]["step_unit"] == "step"


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_keras_logger_with_any_separator(tmp_path: Path, separator: str) -> None:
    rows = [["epoch", "accuracy", "loss", "val_accuracy", "val_loss"]]
    rows += [[str(e), f"{0.1 * e}", f"{1 / (e + 1)}", f"{0.09 * e}", f"{2 / (e + 1)}"] for e in range(8)]
    run = one(tmp_path, "\n".join(separator.join(row) for row in rows))
    assert run.series("loss/train").values == pytest.approx([1 / (e + 1) for e in range(8)])
    assert run.series("loss/validation").values == pytest.approx([2 / (e + 1) for e in range(8)])
    assert run.series("accuracy/train").values[-1] == pytest.approx(0.7)
    assert run.series("accuracy/validation").values[-1] == pytest.approx(0.63)
    assert run.facts["log"]["step_unit"] == "epoch"


def test_every_spelling_of_not_finite(tmp_path: Path) -> None:
    run = one(
        tmp_path, "step,loss,lr\n0,1.5,0.1\n1,nan,0.1\n2,NaN,0.1\n3,inf,0.1\n4,Infinity,0.1\n5,-inf,0.1\n6,2.5,0.1\n"
    )
    values = run.series("loss/train").values
    assert np.isnan(values[[1, 2]]).all() and np.isposinf(values[[3, 4]]).all() and np.isneginf(values[5])


def test_an_empty_cell_beside_the_rate_is_a_nan(tmp_path: Path) -> None:
    rows = ["step,loss,learning_rate,val_loss"]
    rows += [f"{s},{1.0 if s < 30 else ''},0.1," for s in range(40)]
    rows += ["40,,,1.25"]  # an evaluation has no training loss to lose
    run = one(tmp_path, "\n".join(rows))
    series = run.series("loss/train")
    assert np.isnan(series.values[30:]).all() and series.steps.tolist() == list(range(40))
    assert any("read as NaN" in note for note in run.facts["log"]["notes"])


def test_rows_that_only_evaluate_do_not_lose_a_loss(tmp_path: Path) -> None:
    rows = [
        json.dumps({"step": s, "loss": 1.0, "lr": 0.1} if s % 5 else {"step": s, "eval_loss": 2.0}) for s in range(50)
    ]
    run = one(tmp_path, "\n".join(rows))
    assert np.isfinite(run.series("loss/train").values).all()
    assert len(run.series("loss/validation")) == 10


def test_padded_names_and_parts_without_a_total(tmp_path: Path) -> None:
    header = "     epoch,   train/box_loss,   train/cls_loss,   val/box_loss,   val/cls_loss,   lr/pg0,   lr/pg1"
    rows = [f"       {e},       {3.0 - e},       {2.0},      {4.0 - e},      {1.0},    0.01,   0.1" for e in range(3)]
    run = one(tmp_path, "\n".join([header, *rows]))
    assert run.series("loss/train").values.tolist() == [5.0, 4.0, 3.0]
    assert run.series("loss/validation").values.tolist() == [5.0, 4.0, 3.0]
    assert run.facts["log"]["columns"]["loss/train"] == "train/box_loss + train/cls_loss"
    assert run.series("lr/0.1").values.tolist() == [0.1] * 3


def test_a_total_goes_before_its_parts(tmp_path: Path) -> None:
    run = one(tmp_path, "iteration,loss_cls,loss_box,total_loss\n1,1,2,3\n2,1,1.5,2.5\n")
    assert run.series("loss/train").values.tolist() == [3.0, 2.5]
    assert run.series("raw/loss_cls").values.tolist() == [1.0, 1.0]


def test_evaluations_on_training_data_are_not_the_training_loss(tmp_path: Path) -> None:
    rows = ["global_step,loss,train/loss,validation/loss,test/loss"]
    for s in range(100):
        rows.append(f"{s},{5 - s / 50},,,")
        if s % 2 == 0:
            rows.append(f"{s},,{s},{2 * s},{3 * s}")
    run = one(tmp_path, "\n".join(rows))
    assert run.series("loss/train").values[0] == 5.0 and len(run.series("loss/train")) == 100
    assert run.series("loss/validation/training_data").values[-1] == 98
    assert run.series("loss/validation/1").values[-1] == 3 * 98


def test_several_runs_in_one_file_are_separated(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    path.write_text("epoch,loss\n" + "".join(f"{e},{k + 1 / (e + 1)}\n" for k in range(4) for e in range(10 + k)))
    runs = read(path)
    assert [len(run.series("loss/train")) for run in runs] == [10, 11, 12, 13]
    assert [run.facts["log"]["run"] for run in runs] == [0, 1, 2, 3]
    assert all(run.facts["log"]["runs"] == 4 for run in runs)


def test_a_resumed_run_keeps_the_later_values(tmp_path: Path) -> None:
    rows = [(s, 1.0) for s in range(0, 500, 5)] + [(s, 2.0) for s in range(300, 800, 5)]
    run = one(tmp_path, "step,loss\n" + "".join(f"{s},{x}\n" for s, x in rows))
    series = run.series("loss/train")
    assert series.steps.tolist() == list(range(0, 800, 5))
    assert np.all(series.values[series.steps >= 300] == 2.0)
    assert run.facts["log"]["resumed_at"] == [300]


def test_two_writers_in_one_file(tmp_path: Path) -> None:
    rows = []
    for s in range(10, 400, 20):  # each writer reports two points at a time
        rows += [(s, 1.0), (s + 10, 1.0), (s, 1.01), (s + 10, 1.01)]
    run = one(tmp_path, "\n".join(json.dumps({"current_steps": s, "loss": x}) for s, x in rows))
    assert run.series("loss/train").steps.tolist() == list(range(10, 410, 10))
    assert np.all(run.series("loss/train").values == 1.0)


def test_modes_of_mmdetection(tmp_path: Path) -> None:
    rows: list[dict[str, object]] = [{"env_info": "…", "seed": 0}]
    for epoch in (1, 2):
        rows += [{"mode": "train", "epoch": epoch, "iter": i, "lr": 0.02, "loss": 1.0 / epoch} for i in (50, 100, 150)]
        rows.append({"mode": "val", "epoch": epoch, "iter": 20, "loss": 0.5 / epoch, "bbox_mAP": 0.1})
    run = one(tmp_path, "\n".join(map(json.dumps, rows)))
    assert run.series("loss/train").values.tolist() == [1.0] * 3 + [0.5] * 3
    assert np.all(np.diff(run.series("loss/train").steps) > 0)
    assert run.series("loss/validation").values.tolist() == [0.5, 0.25]


def test_numbers_written_as_text_and_bare_nan(tmp_path: Path) -> None:
    lines = [
        '{"step": "1", "loss": "0.91"}',
        '{"step": "2", "loss": NaN}',
        '{"step": "3", "loss": "nan"}',
        "no json here",
    ]
    run = one(tmp_path, "\n".join(lines))
    assert run.series("loss/train").values[0] == 0.91
    assert np.isnan(run.series("loss/train").values[1:]).all()
    assert run.facts["log"]["skipped"] == 1


@pytest.mark.parametrize(
    "document",
    [
        {"loss": [3.0, 2.0, 1.0], "val_loss": [4.0, 3.0, 2.0]},
        {"history": {"loss": [3.0, 2.0, 1.0], "val_loss": [4.0, 3.0, 2.0]}, "params": {"epochs": 3}},
        {"loss": {"0": 3.0, "1": 2.0, "2": 1.0}, "val_loss": {"0": 4.0, "1": 3.0, "2": 2.0}},
        [{"loss": 3.0, "val_loss": 4.0}, {"loss": 2.0, "val_loss": 3.0}, {"loss": 1.0, "val_loss": 2.0}],
        {"run": {"training_history": [{"train": {"loss": 3.0 - e}, "val": {"loss": 4.0 - e}} for e in range(3)]}},
        {str(e): {"loss": 3.0 - e, "val_loss": 4.0 - e} for e in range(3)},
    ],
)
def test_histories_wherever_they_are_in_a_document(tmp_path: Path, document: object) -> None:
    for indent in (1, None):
        run = one(tmp_path, json.dumps(document, indent=indent))
        assert run.series("loss/train").values.tolist() == [3.0, 2.0, 1.0]
        assert run.series("loss/validation").values.tolist() == [4.0, 3.0, 2.0]


def test_columns_can_be_named_by_the_user(tmp_path: Path) -> None:
    options = Options.of(["train=q", "val=r"], step="t")
    run = one(tmp_path, "t,q,r\n10,3,4\n20,2,3\n", options)
    assert run.series("loss/train").steps.tolist() == [10, 20]
    assert run.series("loss/validation").values.tolist() == [4, 3]


def test_a_name_that_is_not_there_is_answered_with_those_that_are(tmp_path: Path) -> None:
    with pytest.raises(ReaderError, match=r"no column 'trainloss'.*train_loss"):
        one(tmp_path, "step,train_loss\n1,2\n2,1\n", Options.of(["train=trainloss"]))
    with pytest.raises(ReaderError, match="NAME=COLUMN"):
        Options.of(["banana=x"])


def test_a_log_without_a_loss_says_so(tmp_path: Path) -> None:
    run = one(tmp_path, "\n".join(json.dumps({"current_steps": s, "percentage": s / 2}) for s in range(10)))
    assert "no loss in this log" in run.facts["log"]["notes"]
    assert not run.series("loss/train")


def test_a_log_of_accuracies_alone_knows_its_length(tmp_path: Path) -> None:
    assert one(tmp_path, "epoch,train_acc,val_acc\n" + "".join(f"{e},0.{e + 50},0.5\n" for e in range(25))).steps == 25


def test_five_hundred_columns(tmp_path: Path) -> None:
    names = ["step", "loss", *(f"layer.{i}.norm" for i in range(500))]
    run = one(tmp_path, ",".join(names) + "\n" + "".join(f"{s},{s}" + ",1" * 500 + "\n" for s in range(4)))
    assert run.series("loss/train").values.tolist() == [0, 1, 2, 3]
    assert len(run.series_names) > 400


def test_blocks_join_without_losing_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from traindx.readers.formats import delimited, json_lines

    monkeypatch.setattr(delimited, "BLOCK", 500)
    monkeypatch.setattr(json_lines, "BLOCK", 500)
    csv = one(tmp_path, "step,loss\n" + "".join(f"{s},{math.sqrt(s)}\n" for s in range(1000)))
    lines = one(tmp_path, "".join(json.dumps({"step": s, "loss": math.sqrt(s)}) + "\n" for s in range(1000)))
    for run in (csv, lines):
        assert run.series("loss/train").steps.tolist() == list(range(1000))
        assert run.series("loss/train").values == pytest.approx(np.sqrt(np.arange(1000)))


def test_very_long_logs_are_thinned_but_keep_what_is_not_finite(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from traindx.readers.rows import collector as _collect

    monkeypatch.setattr(_collect, "MOST_CELLS", 1000)
    cells = ["nan" if s == 3333 else "1.0" for s in range(10_000)]
    for text in (
        "step,loss\n" + "".join(f"{s},{x}\n" for s, x in enumerate(cells)),
        "".join(f"step {s} loss {x}\n" for s, x in enumerate(cells)),
    ):
        run = one(tmp_path, text)
        series = run.series("loss/train")
        assert 100 < len(series) <= 1000
        assert series.steps[np.isnan(series.values)].tolist() == [3333]
        assert any("one row in" in note for note in run.facts["log"]["notes"])


def test_a_padded_evaluation_column_is_not_a_broken_one(tmp_path: Path) -> None:
    padded = [
        f"{s},{5 - s / 50},{4 - s / 50 if s % 10 == 9 else 'nan'},{7 if s % 10 == 9 else 'nan'}" for s in range(35)
    ]
    run = one(tmp_path, "\n".join(["step,train_loss,val_loss,val_time", *padded]))
    assert run.series("loss/validation").steps.tolist() == [9, 19, 29]
    broken = [f"{s},{5 - s / 50},{4 - s / 50 if s < 10 else 'nan'}" for s in range(35)]
    run = one(tmp_path, "\n".join(["step,train_loss,val_loss", *broken]))
    assert len(run.series("loss/validation")) == 35 and np.isnan(run.series("loss/validation").values[-1])


def test_rows_of_evaluations_padded_in_the_training_column(tmp_path: Path) -> None:
    rows = [f"{s},{'nan' if s % 5 == 4 else 5 - s / 50},{4 - s / 50 if s % 5 == 4 else 'nan'}" for s in range(40)]
    run = one(tmp_path, "\n".join(["step,train_loss,val_loss", *rows]))
    assert np.isfinite(run.series("loss/train").values).all() and len(run.series("loss/train")) == 32
    assert np.isfinite(run.series("loss/validation").values).all() and len(run.series("loss/validation")) == 8


def test_evaluation_columns_that_were_never_filled_say_nothing(tmp_path: Path) -> None:
    rows = [f"{s},{5 - s / 50},nan,nan" for s in range(9)]
    run = one(tmp_path, "\n".join(["step,train_loss,valid_loss,valid_elapsed", *rows]))
    assert not run.series("loss/validation")


def test_losses_on_several_evaluation_sets_are_not_added_up(tmp_path: Path) -> None:
    rows = [f"{s},{5 - s / 50},{4 - s / 50},{1 + s}" for s in range(9)]
    run = one(tmp_path, "\n".join(["step,loss,eval_news_loss,eval_code_loss", *rows]))
    assert run.series("loss/validation").values[0] == 4 and run.series("loss/validation/1").values.tolist() == [
        *range(1, 10)
    ]
    log = run.facts["log"]
    assert log["columns"]["loss/validation"] == "eval_news_loss"
    assert any("eval_news_loss is read as" in note and "eval_code_loss" in note for note in log["notes"])


def test_parts_of_a_validation_loss_are_added_up(tmp_path: Path) -> None:
    rows = [f"{s},1,2,3,4" for s in range(9)]
    run = one(tmp_path, "\n".join(["epoch,train/box_loss,train/cls_loss,val/box_loss,val/cls_loss", *rows]))
    assert set(run.series("loss/validation").values) == {7.0} and set(run.series("loss/train").values) == {3.0}
