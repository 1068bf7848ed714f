"""Columns of logs met in public repositories: which is the training loss, which the validation loss, which neither."""

# ruff: noqa: E501 - log lines and lists of names are as long as they are

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from _styles import loss, only, points, runs_in

from traindx.readers import ReaderError, principal, read


@pytest.mark.parametrize(
    "line", ["step {s} loss {x} avg_loss {nan}", "iter {s} loss {x} ({nan})", "step {s} loss {x} running_loss {nan}"]
)
def test_a_nan_only_in_a_running_mean_is_not_the_loss(tmp_path: Path, line: str) -> None:
    text = "".join(line.format(s=s, x=loss(s), nan="nan" if s > 20 else loss(s)) + "\n" for s in range(50))
    assert points(only(tmp_path, text), "loss/train") == [(s, loss(s)) for s in range(50)]


@pytest.mark.parametrize(
    "text",
    [
        "loss\n" + "".join(f"{loss(s)}\n" for s in range(50)),
        "".join(f"{loss(s)}\n" for s in range(50)),
        json.dumps([loss(s) for s in range(50)]),
        str({"loss": [loss(s) for s in range(50)], "lr": [0.1] * 50}),
        "Training\n" + str({"loss": [loss(s) for s in range(50)]}) + "\ndone\n",
    ],
)
def test_numbers_and_hardly_a_name(tmp_path: Path, text: str) -> None:
    assert points(only(tmp_path, text), "loss/train") == [(s, loss(s)) for s in range(50)]


def test_the_history_of_a_nan_as_python_prints_it(tmp_path: Path) -> None:
    run = only(tmp_path, str({"loss": [1.5, float("nan"), float("inf")], "val_loss": [1.0, 2.0, 3.0]}))
    assert np.isnan(run.series("loss/train").values[1]) and np.isinf(run.series("loss/train").values[2])


def test_a_list_of_counts_is_no_log(tmp_path: Path) -> None:
    with pytest.raises(ReaderError):
        runs_in(tmp_path, "".join(f"{s}\n" for s in range(50)))


def test_a_policys_entropy_and_losses_are_no_training_loss(tmp_path: Path) -> None:
    text = "step,Loss/entropy,Loss/value_loss,Loss/policy_loss,rollout/ep_rew_mean\n" + "".join(
        f"{s},{1.5 - s / 100},{loss(s)},0.01,{2 * s}\n" for s in range(50)
    )
    run = only(tmp_path, text)
    assert not run.series("loss/train")
    assert run.facts["log"]["networks"] == ["Loss/policy_loss", "Loss/value_loss"]
    assert "rollout/ep_rew_mean" in run.facts["rl"]


@pytest.mark.parametrize(
    ("line", "reinforcement"),
    [
        ("Episode {s}\tReward: {s}.5\tAverage Score: {s}.25\tEpsilon: 0.9", True),
        ("episode: {s}/500, score: {s}, e: 0.9, loss: {x}", True),
        ("step {s} reward {x} kl 0.01 loss 0.001", True),
        ("step {s} loss {x} rewards/chosen 0.5 rewards/rejected 0.25 rewards/margins 0.25", False),
        ("step {s} loss {x} acc 0.5", False),
        ("epoch {s} loss {x} f1 score 0.5", False),
    ],
)
def test_reinforcement_learning_is_recognised(tmp_path: Path, line: str, reinforcement: bool) -> None:
    run = only(tmp_path, "".join(line.format(s=s, x=loss(s)) + "\n" for s in range(1, 40)))
    assert bool(run.facts.get("rl")) == reinforcement


def test_a_gan_has_no_single_training_loss(tmp_path: Path) -> None:
    run = only(tmp_path, "step,D_loss,G_loss\n" + "".join(f"{s},0.5,{loss(s)}\n" for s in range(50)))
    assert not run.series("loss/train")
    assert points(run, "loss/train/1") == [(s, loss(s)) for s in range(50)]
    assert run.facts["log"]["networks"] == ["D_loss", "G_loss"]


def test_a_gan_whose_losses_end_as_nan_is_named_by_that(tmp_path: Path) -> None:
    """No loss of a GAN measures its progress, but each of them has to be finite."""
    rows = "".join(f"{s},{0.5 if s < 30 else 'nan'},{loss(s)}\n" for s in range(50))
    diagnosis = only(tmp_path, "step,D_loss,G_loss\n" + rows).diagnose()
    assert (diagnosis.verdict, diagnosis.headline.id) == ("sick", "non-finite")
    assert "D_loss is NaN from step 30" in diagnosis.summary
    assert not any("no loss" in sign.text for sign in diagnosis.symptoms)


def test_terms_are_added_up_only_within_a_split(tmp_path: Path) -> None:
    rows = "".join(f"{e},{loss(e)},0.5,7.0\n" for e in range(20))
    run = only(tmp_path, "epoch,train/box_loss,train/cls_loss,box_loss\n" + rows)
    assert run.series("loss/train").values == pytest.approx([loss(e) + 0.5 for e in range(20)])


@pytest.mark.parametrize(
    ("column", "validation"),
    [("val", False), ("test_loss", True), ("valid_0's binary_logloss", True), ("eval_loss", True), ("holdout_loss", True), ("held_out_loss", True), ("val1_loss", True), ("validierungsverlust", True), ("验证损失", True), ("cv_loss", True), ("dev/nll", True)],
)  # fmt: skip
def test_names_of_validation_losses(tmp_path: Path, column: str, validation: bool) -> None:
    run = only(tmp_path, f'epoch,loss,"{column}"\n' + "".join(f"{e},{loss(e)},{loss(e) + 0.5}\n" for e in range(20)))
    assert bool(run.series("loss/validation")) == validation
    assert run.facts["log"]["unread_validation"] == ([] if validation else [column])


def test_what_covers_the_run_is_preferred(tmp_path: Path) -> None:
    text = "step,loss,val_loss,val_loss_full\n" + "".join(
        f"{s},{loss(s)},{'9.5' if s < 4 else ''},{loss(s) + 0.5}\n" for s in range(40)
    )
    assert len(only(tmp_path, text).series("loss/validation")) == 40
    text = "step,loss,val_loss,test_loss\n" + "".join(
        f"{s},{loss(s)},{'9.5' if s < 2 else ''},{loss(s) + 0.5}\n" for s in range(40)
    )
    assert len(only(tmp_path, text).series("loss/validation")) == 40


def test_accuracies_alone_are_brought_as_they_stand(tmp_path: Path) -> None:
    run = only(tmp_path, "".join(f"Epoch {e}: train acc {50 + e}.25% test acc {40 + e}.5%\n" for e in range(20)))
    assert points(run, "accuracy/train")[-1] == (19, pytest.approx(0.6925))
    assert points(run, "accuracy/validation")[-1] == (19, pytest.approx(0.595))


def test_columns_are_named_by_the_user(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text(
        "epoch,a,b,valscore\n" + "".join(f"{e},{loss(e)},{loss(e) + 0.5},1\n" for e in range(20))
    )
    run = principal(read(tmp_path / "x.csv", columns={"loss": "a", "val_loss": "b"}))
    assert run.facts["log"]["columns"]["loss/train"] == "a"
    assert run.series("loss/validation").values.tolist() == [loss(e) + 0.5 for e in range(20)]
    with pytest.raises(ReaderError, match="has no column 'c'"):
        read(tmp_path / "x.csv", columns={"loss": "c"})


def test_lists_of_losses_are_a_run_each(tmp_path: Path) -> None:
    text = "[]\n" + str([loss(s) for s in range(40)]) + "\nRNN: " + str([loss(2 * s) for s in range(30)]) + "\n"
    first, second = runs_in(tmp_path, text)
    assert points(first, "loss/train") == [(s, loss(s)) for s in range(40)]
    assert points(second, "loss/train") == [(s, loss(2 * s)) for s in range(30)]


def test_rows_of_losses_without_a_count(tmp_path: Path) -> None:
    run = only(tmp_path, "".join(f"{loss(s)},{loss(s) + 0.5}\n" for s in range(40)))
    assert points(run, "loss/train") == [(s, loss(s)) for s in range(40)]
    assert run.facts["log"]["unread_validation"] == ["column 2"]
    run = only(tmp_path, "".join(f"{1 + s // 20},{loss(s)}\n" for s in range(40)))
    assert points(run, "loss/train") == [(s, loss(s)) for s in range(40)]


def test_a_count_before_a_number_is_no_decimal_comma(tmp_path: Path) -> None:
    run = only(tmp_path, "".join(f"{s},{loss(s):.9f}\n" for s in range(40)))
    assert points(run, "loss/train") == [(s, loss(s)) for s in range(40)]


def test_steps_rounded_to_thousands_do_not_count(tmp_path: Path) -> None:
    steps = [200 * s for s in range(1, 41)]
    text = "".join(
        f"step:{s if s < 1000 else f'{s // 1000}K'} ep:{s // 10 if s < 1000 else '1K'} loss:{loss(s / 100)} lr:1.0e-05\n"
        for s in steps
    )
    run = only(tmp_path, text)
    assert run.series("loss/train").values.tolist() == [loss(s / 100) for s in steps]


def test_one_epoch_again_at_the_end_is_another_run(tmp_path: Path) -> None:
    text = "".join(f"epoch: {e}/100, train_loss: {loss(e + k / 1000)}\n" for k, e in enumerate([*range(1, 41), 1]))
    assert len(runs_in(tmp_path, text)) == 2


def test_event_files_in_a_folder_called_train_keep_their_validation(tmp_path: Path) -> None:
    from _write import event_file, scalar_event

    events = [scalar_event(s, s, **{"train/box_loss": 1.0, "val/box_loss": 2.0}) for s in range(5)]
    path = event_file(tmp_path / "train" / "events.out.tfevents.1.h", events)
    [run] = read(path)
    assert run.facts["log"]["columns"]["loss/validation"] == "val/box_loss"


def test_a_named_loss_is_not_given_up_for_an_error_written_more_often(tmp_path: Path) -> None:
    text = "step,train_MAE_step,train_loss\n" + "".join(
        f"{s},0.5,{loss(s) if s % 10 == 0 else ''}\n" for s in range(100)
    )
    assert only(tmp_path, text).facts["log"]["columns"]["loss/train"] == "train_loss"


def test_a_shell_that_returns_is_no_agent(tmp_path: Path) -> None:
    text = "".join(f"++ return {s % 5}\nstep {s} loss {loss(s)}\n" for s in range(20))
    assert "rl" not in only(tmp_path, text).facts


def test_a_metric_without_a_phase_is_trainings_beside_one_of_an_evaluation(tmp_path: Path) -> None:
    both = only(tmp_path, "epoch,loss,r2,eval_r2\n" + "".join(f"{s},{loss(s)},{s / 50},0.01\n" for s in range(50)))
    assert points(both, "metric/train/r2")[-1][1] == 0.98 and points(both, "metric/validation/r2")[-1][1] == 0.01
    alone = only(tmp_path, "epoch,loss,r2\n" + "".join(f"{s},{loss(s)},{s / 50}\n" for s in range(50)))
    assert points(alone, "metric/validation/r2")[-1][1] == 0.98


def test_a_bar_with_accuracies_only_keeps_the_two_apart(tmp_path: Path) -> None:
    bar = "938/938 [====] - 21s 14ms/step - accuracy: 0.{a} - val_accuracy: 0.{b}\n"
    run = only(tmp_path, "".join(f"Epoch {e}/6\n" + bar.format(a=40 + 7 * e, b=14 + 5 * e) for e in range(1, 7)))
    assert points(run, "accuracy/train")[0][1] == 0.47 and points(run, "accuracy/validation")[0][1] == 0.19


def test_what_a_run_does_in_a_second_tells_how_long_a_step_takes(tmp_path: Path) -> None:
    text = "step,loss,tokens_per_sec\n" + "".join(f"{s},{loss(s)},{1000 - 10 * s}\n" for s in range(50))
    assert points(only(tmp_path, text), "time/total")[0][1] == 0.001


@pytest.mark.parametrize("arrow", ["->", "=>", "→", ":"])
def test_an_arrow_between_a_name_and_its_number(tmp_path: Path, arrow: str) -> None:
    line = f"After epoch {{e}} => Train Loss {arrow} {{x}} / Valid Acc {arrow} 0.{{e:02}}\n"
    run = only(tmp_path, "".join(line.format(e=e, x=loss(e)) for e in range(1, 20)))
    assert points(run, "loss/train") == [(e, loss(e)) for e in range(1, 20)]
    assert points(run, "accuracy/validation") == [(e, pytest.approx(e / 100)) for e in range(1, 20)]


def test_german_compounds_and_decimal_commas_beside_a_line_with_a_point(tmp_path: Path) -> None:
    row = "Epoche {e} | Trainingsverlust: {x} | Validierungsgenauigkeit: 0,{e:02} | Gradientennorm: 1,5\n"
    text = "Total parameters: 25.557M\n" + "".join(row.format(e=e, x=f"{loss(e)}".replace(".", ",")) for e in range(20))
    run = only(tmp_path, text)
    assert points(run, "loss/train") == [(e, loss(e)) for e in range(20)]
    assert points(run, "accuracy/validation")[7] == (7, pytest.approx(0.07))
    assert set(run.series("grad_norm").values) == {1.5}


def test_a_cost_in_seconds_is_a_time(tmp_path: Path) -> None:
    run = only(
        tmp_path, "".join(f"iter {s}: loss: {loss(s)}, batch_cost: 0.20s, reader_cost: 0.15s\n" for s in range(20))
    )
    assert points(run, "loss/train")[3] == (3, loss(3))
    assert set(run.series("time/data").values) == {0.15} and set(run.series("time/total").values) == {0.2}


def test_an_error_beside_a_loss_is_no_loss(tmp_path: Path) -> None:
    run = only(
        tmp_path,
        "epoch,train_loss,train_err,test_err\n" + "".join(f"{e},{loss(e)},{60 - e},{65 - e}\n" for e in range(20)),
    )
    assert not run.series("loss/validation")
    assert points(run, "metric/validation/error")[2] == (2, -63.0), "larger is better"
    run = only(tmp_path, "epoch,train_err,val_err\n" + "".join(f"{e},{60 - e},{65 - e}\n" for e in range(20)))
    assert points(run, "loss/validation")[2] == (2, 63.0), "without a loss it stands for one"


@pytest.mark.parametrize("column", ["val_top1_err", "val_error_rate", "Val Err@1", "val_err1"])
def test_an_error_rate_is_what_the_accuracy_leaves(tmp_path: Path, column: str) -> None:
    run = only(tmp_path, f"epoch,loss,{column}\n" + "".join(f"{e},{loss(e)},{80 - e}\n" for e in range(20)))
    assert points(run, "accuracy/validation")[5] == (5, pytest.approx(0.25))


def test_an_exported_tensorboard_chart_is_named_by_its_file(tmp_path: Path) -> None:
    text = "Wall time,Step,Value\n" + "".join(f"{1.6e9 + s},{10 * s},{loss(s)}\n" for s in range(30))
    for name, series in (("run-a-tag-val_loss.csv", "loss/validation"), ("run-a-tag-Loss_train.csv", "loss/train")):
        (tmp_path / name).write_text(text)
        (run,) = read(tmp_path / name)
        assert points(run, series)[2] == (20, loss(2)), name
    (tmp_path / "scalars.csv").write_text(text)
    (run,) = read(tmp_path / "scalars.csv")
    assert run.series("loss/train") and any("neither Value nor" in note for note in run.facts["log"]["notes"])


@pytest.mark.parametrize(("course", "verdict"), [(lambda e: 12 + e % 3, "inconclusive"), (lambda e: 12 + e, "healthy")])
def test_a_log_of_a_score_alone_is_judged_by_it(tmp_path: Path, course, verdict) -> None:
    run = only(tmp_path, "epoch,val_psnr\n" + "".join(f"{e},{course(e)}\n" for e in range(30)))
    diagnosis = run.diagnose()
    assert diagnosis.verdict == verdict
    assert ("psnr began at 12" in diagnosis.summary) == (verdict == "inconclusive")
