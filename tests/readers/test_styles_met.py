"""Styles of logs met in public repositories, each made up anew: every value is read, at its step."""

# ruff: noqa: E501 - log lines and lists of names are as long as they are

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from _styles import loss, only, points, runs_in

from traindx.readers import Options, principal, read


def test_lines_of_step_split_and_value(tmp_path: Path) -> None:
    lines = [f"{s} val {loss(s) + 0.5}\n{s} hella 0.25\n{s} train {loss(s)}\n" for s in range(0, 100, 10)]
    run = only(tmp_path, "".join(lines))
    assert points(run, "loss/train") == [(s, loss(s)) for s in range(0, 100, 10)]
    assert points(run, "loss/validation") == [(s, loss(s) + 0.5) for s in range(0, 100, 10)]


def test_text_that_begins_with_a_brace(tmp_path: Path) -> None:
    settings = "{'model': 'small', 'lr': 0.001, \"seed\": 3}\n"
    run = only(tmp_path, settings + "".join(f"step {s} loss {loss(s)}\n" for s in range(20)))
    assert points(run, "loss/train") == [(s, loss(s)) for s in range(20)]


def test_mlperf_lines(tmp_path: Path) -> None:
    lines = []
    for e in range(4):
        lines += [
            f':::MLLOG {{"namespace": "", "time_ms": 16{s}, "key": "train_loss", "value": {loss(s)}, "metadata": {{"lineno": 5, "step_num": {s}}}}}'
            for s in range(10 * e, 10 * e + 10)
        ]
        lines.append(
            f':::MLL 1600000000.{e} eval_loss: {{"value": {loss(10 * e)}, "metadata": {{"epoch_num": {e}, "lineno": 12}}}}'
        )
        lines.append(":::MLL 1600000000.1 opt_learning_rate: {\"value\": 0.1, \"metadata\": {\"lineno\": 1}}")  # fmt: skip
    run = only(tmp_path, "\n".join(lines))
    assert points(run, "loss/train") == [(s, loss(s)) for s in range(40)]
    assert run.series("loss/validation").values.tolist() == [loss(10 * e) for e in range(4)]


def bar(k: int, n: int, after: str) -> str:
    return f"\r {100 * k // n:3d}%|{'█' * (10 * k // n):10s}| {k}/{n} [00:01<00:10, 4.5it/s{after}]"


def test_bars_before_the_line_of_their_epoch_are_no_restarts(tmp_path: Path) -> None:
    text = "".join(
        "".join(bar(k, 10, f", loss={loss(e * 10 + k - 1)}") for k in range(1, 11))
        + f"\nEpoch {e}: train_loss 1.5 val_loss {loss(10 * e)}\n"
        for e in range(1, 7)
    )
    run = only(tmp_path, text)
    assert points(run, "loss/train") == [(s, loss(s + 9)) for s in range(1, 61)]
    assert points(run, "loss/validation") == [(10 * e, loss(10 * e)) for e in range(1, 7)]


def test_bars_without_values_leave_the_epoch_as_the_count(tmp_path: Path) -> None:
    text = "".join(
        f"Epoch {e}/6\n" + "".join(bar(k, 10, "") for k in range(11)) + f"\ntrain loss: {loss(e)}, train acc: 0.5\n"
        + "".join(bar(k, 4, "") for k in range(5)) + f"\nval loss: {loss(2 * e)}, val acc: 0.4\n"
        for e in range(1, 7)
    )  # fmt: skip
    run = only(tmp_path, text)
    assert points(run, "loss/train") == [(e, loss(e)) for e in range(1, 7)]
    assert points(run, "loss/validation") == [(e, loss(2 * e)) for e in range(1, 7)]


def means_of(batches: list[float]) -> list[float]:
    return [round(float(np.mean(batches[: k + 1])), 4) for k in range(len(batches))]


@pytest.mark.parametrize("keras", [True, False])
def test_a_bar_whose_mean_restarts_counts_once_an_epoch(tmp_path: Path, keras: bool) -> None:
    rng = np.random.default_rng(0)
    means = [means_of([loss(24 * e + k) + rng.normal(0, 0.1) for k in range(24)]) for e in range(5)]
    if keras:
        lines = [f"Epoch {e + 1}/5\n" + "".join(f"\r{k + 1}/24 [=>..] - ETA: 0s - loss: {m}" for k, m in enumerate(part)) + "\n" for e, part in enumerate(means)]  # fmt: skip
    else:
        lines = [
            f"Epoch {e + 1}\n" + "".join(bar(k + 1, 24, f", loss={m}") for k, m in enumerate(part)) + "\n"
            for e, part in enumerate(means)
        ]
    run = only(tmp_path, "".join(lines))
    assert run.series("loss/train").values.tolist() == [part[-1] for part in means]


def test_a_noisy_bar_of_single_batches_keeps_all_points(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    text = "".join(
        f"Epoch {e}\n"
        + "".join(bar(k, 24, f", loss={loss(24 * e + k) + rng.normal(0, 0.1):.4f}") for k in range(1, 25))
        + "\n"
        for e in range(5)
    )
    assert len(only(tmp_path, text).series("loss/train")) == 120


def test_epochs_named_after_their_steps_are_not_runs(tmp_path: Path) -> None:
    text = "".join(
        "".join(f"Batch {10 * k} Loss {loss(10 * e + k)}\n" for k in range(10)) + f"Epoch {e} val loss {loss(10 * e)}\n"
        for e in range(2)
    )
    run = only(tmp_path, text)
    assert points(run, "loss/train") == [(100 * e + 10 * k, loss(10 * e + k)) for e in range(2) for k in range(10)]


def test_wandb_export_of_two_runs(tmp_path: Path) -> None:
    header = '"Step","bright-1 - train/loss","bright-1 - train/loss__MIN","bright-1 - train/loss__MAX","dark-2 - train/loss","dark-2 - train/loss__MIN","dark-2 - train/loss__MAX"\n'
    rows = [
        f'"{s}"' + f',"{loss(s)}"' * 3 + (f',"{loss(s) + 0.5}"' * 3 if s < 30 else ',""' * 3) + "\n" for s in range(50)
    ]
    first, second = runs_in(tmp_path, header + "".join(rows))
    assert points(first, "loss/train") == [(s, loss(s)) for s in range(50)]
    assert points(second, "loss/train") == [(s, loss(s) + 0.5) for s in range(30)]
    assert second.facts["log"]["runs"] == 2 and second.facts["log"]["run"] == 1


@pytest.mark.parametrize("style", ["csv", "jsonl"])
def test_evaluations_numbered_by_epochs_beside_steps(tmp_path: Path, style: str) -> None:
    if style == "csv":
        text = (
            "step,epoch,loss,val_loss\n"
            + "".join(f"{s},,{loss(s)},\n" for s in range(101))
            + "".join(f",{e},,{loss(10 * e)}\n" for e in range(1, 11))
        )
    else:
        rows = [{"step": s, "loss": loss(s)} for s in range(101)] + [
            {"epoch": e, "val_loss": loss(10 * e)} for e in range(1, 11)
        ]
        text = "".join(json.dumps(row) + "\n" for row in rows)
    run = only(tmp_path, text)
    assert points(run, "loss/validation") == [(10 * e, loss(10 * e)) for e in range(1, 11)]


def test_allennlp(tmp_path: Path) -> None:
    prefix = "2020-05-01 10:00:00,123 - INFO - allennlp.training"
    text = "".join(
        f"{prefix}.trainer - Epoch {e}/5\naccuracy: 0.5, loss: {loss(e)} ||: 100%|##########| 100/100 [00:10<00:00, 9.9it/s]\n"
        f"{prefix}.tensorboard_writer -                     Training |  Validation\n"
        f"{prefix}.tensorboard_writer - accuracy        |     0.5{e}  |     0.4{e}\n"
        f"{prefix}.tensorboard_writer - gpu_0_memory_MB |  1234.000  |       N/A\n"
        f"{prefix}.tensorboard_writer - loss            |     {loss(e)}  |     {loss(e) + 0.125}\n"
        for e in range(6)
    )
    run = only(tmp_path, text)
    assert points(run, "loss/train") == [(e, loss(e)) for e in range(6)]
    assert points(run, "loss/validation") == [(e, loss(e) + 0.125) for e in range(6)]
    assert run.series("accuracy/validation").values.tolist() == [pytest.approx(0.4 + e / 100) for e in range(6)]


def test_lightgbm_that_repeats_its_best_iteration(tmp_path: Path) -> None:
    def line(i: int) -> str:
        return f"[{i}]\ttraining's binary_logloss: {loss(i)}\tvalid_0's binary_logloss: {loss(i) + 0.5}\n"

    run = only(
        tmp_path, "".join(line(i) for i in range(10, 100, 10)) + "Early stopping, best iteration is:\n" + line(60)
    )
    assert points(run, "loss/train") == [(i, loss(i)) for i in range(10, 100, 10)]
    assert points(run, "loss/validation") == [(i, loss(i) + 0.5) for i in range(10, 100, 10)]
    assert run.facts["log"]["resumed_at"] == []


def test_mmdetection(tmp_path: Path) -> None:
    rows = [{"env_info": "linux", "seed": 0}]
    rows += [
        {"mode": "train", "epoch": e, "iter": 50 * k, "lr": 0.02, "loss_cls": 0.2, "loss": loss(4 * e + k)}
        for e in (1, 2)
        for k in (1, 2)
    ]
    rows += [{"mode": "val", "epoch": 2, "iter": 100, "bbox_mAP": 0.37}]
    run = only(tmp_path, "".join(json.dumps(row) + "\n" for row in rows))
    assert points(run, "loss/train") == [(50, loss(5)), (100, loss(6)), (150, loss(9)), (200, loss(10))]
    text = "".join(
        f"2023/05/01 10:00:00 - mmengine - INFO - Epoch(train)  [{e}][{50 * k}/100]  lr: 2.0000e-02  eta: 1:00:00  time: 0.3  loss: {loss(4 * e + k)}  loss_cls: 0.2\n"
        for e in (1, 2) for k in (1, 2)
    )  # fmt: skip
    assert points(only(tmp_path, text), "loss/train") == points(run, "loss/train")


def test_chainer(tmp_path: Path) -> None:
    text = "epoch       main/loss   validation/main/loss  main/accuracy  elapsed_time\n"
    text += "".join(
        f"{e:<10d}  {loss(e):<10.4f}  {loss(e) + 0.5:<20.4f}  0.5            {e * 5.1:.4f}       \n"
        for e in range(1, 9)
    )
    run = only(tmp_path, text)
    assert points(run, "loss/train") == [(e, loss(e)) for e in range(1, 9)]
    assert points(run, "loss/validation") == [(e, pytest.approx(loss(e) + 0.5)) for e in range(1, 9)]


def test_caffe_net_outputs_are_not_averaged_into_the_loss(tmp_path: Path) -> None:
    glog = "I0312 10:00:00.123456 12345 solver.cpp:218]"
    text = "".join(
        f"{glog} Iteration {i} (2.5 iter/s, 40s/100 iters), loss = {loss(i / 100)}\n{glog}     Train net output #0: loss = 9.5 (* 1 = 9.5 loss)\n"
        f"{glog} Iteration {i}, lr = 0.01\n{glog} Iteration {i}, Testing net (#0)\n{glog}     Test net output #1: loss = {loss(i / 100) + 0.5} (* 1 = 8 loss)\n"
        for i in range(0, 1000, 100)
    )
    run = only(tmp_path, text)
    assert points(run, "loss/train") == [(i, loss(i / 100)) for i in range(0, 1000, 100)]
    assert points(run, "loss/validation") == [(i, loss(i / 100) + 0.5) for i in range(0, 1000, 100)]


@pytest.mark.parametrize("separator", [",", " ", "\t", ", "])
def test_tables_without_a_header_and_with_a_restart(tmp_path: Path, separator: str) -> None:
    row = [separator.join((str(e), str(loss(e)), str(loss(e) + 0.5))) + "\n" for e in range(1, 31)]
    runs = runs_in(tmp_path, "".join(row * 2))
    assert [points(run, "loss/train") for run in runs] == [[(e, loss(e)) for e in range(1, 31)]] * 2
    assert runs[0].facts["log"]["unread_validation"] == ["column 3"]
    [mapped] = read(tmp_path / "some.log", Options.of(["val_loss=column 3"]))[:1]
    assert points(mapped, "loss/validation") == [(e, loss(e) + 0.5) for e in range(1, 31)]
    assert mapped.facts["log"]["unread_validation"] == []


def keras_epochs(epochs: int) -> str:
    return "".join(
        f"Epoch {e}/{epochs}\n313/313 [====================] - 5s 3ms/step - loss: {loss(e)} - accuracy: 0.8{e} - val_loss: {loss(e) + 0.5} - val_accuracy: 0.7{e}\n"
        for e in range(1, epochs + 1)
    )


@pytest.mark.parametrize("batches", [313, 79])
def test_a_final_evaluation_is_no_training(tmp_path: Path, batches: int) -> None:
    evaluate = f"{batches}/{batches} [=======] - 1s 2ms/step - loss: 9.5 - accuracy: 0.5\n{batches}/{batches} - 0s - loss: 9.25 - accuracy: 0.5\n"
    run = only(tmp_path, keras_epochs(5) + evaluate)
    assert run.series("loss/train").values.tolist() == [loss(e) for e in range(1, 6)]
    assert run.series("accuracy/train").values.tolist() == [pytest.approx(0.8 + e / 100) for e in range(1, 6)]
    assert any("9.25" in note for note in run.facts["log"]["notes"])


def notebook(*outputs: object) -> str:
    cells = [{"cell_type": "markdown", "source": ["# loss 3"]}] + [
        {"cell_type": "code", "source": ["fit()"], "outputs": [output]} for output in outputs
    ]
    return json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}, indent=1)


def test_notebooks_that_printed(tmp_path: Path) -> None:
    printed = {"output_type": "stream", "name": "stdout", "text": keras_epochs(5).splitlines(keepends=True)}
    evaluated = {
        "output_type": "stream",
        "name": "stdout",
        "text": "313/313 [====] - 1s 2ms/step - loss: 9.5 - accuracy: 0.8\n",
    }
    run = only(tmp_path, notebook(printed, evaluated))
    assert run.series("loss/train").values.tolist() == [loss(e) for e in range(1, 6)]
    assert run.series("loss/validation").values.tolist() == [loss(e) + 0.5 for e in range(1, 6)]


def test_notebooks_with_tables(tmp_path: Path) -> None:
    rows = "".join(
        f"<tr>\n<td>{100 * e}</td>\n<td>{loss(e)}</td>\n<td>{'No log' if e == 0 else loss(e) + 0.5}</td></tr>\n"
        for e in range(6)
    )
    html = f"<div><progress value='5'></progress></div><table><thead><tr><th>Step</th><th>Training Loss</th><th>Validation Loss</th></tr></thead><tbody>{rows}</tbody></table>"
    shown = {
        "output_type": "display_data",
        "data": {"text/html": [html], "text/plain": ["<IPython.core.display.HTML object>"]},
    }
    run = only(tmp_path, notebook(shown))
    assert points(run, "loss/train") == [(100 * e, loss(e)) for e in range(6)]
    assert points(run, "loss/validation") == [(100 * e, loss(e) + 0.5) for e in range(1, 6)]


def test_printed_rows_of_json_may_end_in_a_traceback(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    rows = "".join(f'{{"step": {i}, "loss": {3.0 / (i + 1)}}}\n' for i in range(20))
    path.write_text(f"{rows}Traceback (most recent call last):\n  File 'a.py', line 1\nMemoryError: no more\n")
    run = principal(read(path))
    assert run.facts["error"]["type"] == "MemoryError" and len(run.series("loss/train")) == 20
    path.write_text(f"Traceback (most recent call last):\nMemoryError: caught, and tried again\n{rows}")
    assert "error" not in principal(read(path)).facts


def test_epochs_of_bars_that_show_accuracies_alone(tmp_path: Path) -> None:
    path = tmp_path / "out.txt"
    path.write_text(
        "".join(
            f"Epoch {i}/9\n391/391 [==============================] - 12s 31ms/step - acc: 0.{i}1 - val_acc: 0.{i}0\n"
            for i in range(1, 10)
        )
    )
    run = principal(read(path))
    assert run.step_unit == "epoch" and run.series("accuracy/train").steps.tolist() == list(range(1, 10))


def test_apex_names_the_new_loss_scale_behind_the_number_of_its_scaler(tmp_path: Path) -> None:
    overflow = "Gradient overflow.  Skipping step, loss scaler 0 reducing loss scale to"
    run = only(tmp_path, "".join(f"step {s} loss {loss(s)}\n{overflow} {2.0 ** (15 - s)}\n" for s in range(40)))
    assert points(run, "loss_scale") == [(s, 2.0 ** (15 - s)) for s in range(40)]
