"""Settings from whatever a run holds: records, configurations, command lines, files beside the log, names."""

from __future__ import annotations

from pathlib import Path

import pytest
from made_runs import STEPS, losses, outcomes, run_of

from traindx.comparison.effects import Setting, bundles, repeats, settings_that_differ
from traindx.comparison.settings import printed_arguments, read_config, settings_in_name, settings_of, short_names
from traindx.record import RunBuilder


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("runs/adam_lr1e-3_bs32/seed=3/metrics.csv", {"lr": 0.001, "batch_size": 32, "seed": 3}),
        ("lr_0.1_bs_64.log", {"lr": 0.1, "batch_size": 64}),
        ("sgd-lr0.5-seed1.csv", {"lr": 0.5, "seed": 1}),
        ("weight_decay=0.1,lr=3/q.csv", {"weight_decay": 0.1, "lr": 3}),
        ("lightning_logs/version_3/metrics.csv", {}),
    ],
)
def test_names_tell_settings(source: str, expected: dict[str, float]) -> None:
    assert settings_in_name(source) == expected


def test_short_names_keep_what_differs() -> None:
    assert short_names(["a/x/one/m.csv", "a/x/two/m.csv"]) == ["one", "two"]
    assert short_names(["a/one.csv", "a/two.csv"]) == ["one", "two"]
    assert short_names(["a/one.log", "a/one.log"]) == ["one #1", "one #2"]


def test_an_observed_run_tells_its_optimizer_and_arguments() -> None:
    run = (
        RunBuilder("r.tdx", "observed")
        .fact("optimizers", [{"class": "SGD", "groups": [{"lr": 0.1, "momentum": 0.9, "tensors": 4}]}])
        .fact("loaders", [{"role": "eval", "batch_size": 7}, {"role": "train", "batch_size": 32}])
        .fact("script", {"path": "x/train.py", "argv": ["--lr", "0.5", "--width=64", "--fast", "-k", "-3"]})
        .series("loss/train", STEPS, losses(1.0, 0))
        .build()
    )
    found = settings_of(run)
    assert found["optimizer"] == "SGD"
    assert found["batch_size"] == 32
    assert found["lr"] == 0.1  # what the optimizer had, not what the command line wished
    assert (found["width"], found["fast"], found["k"]) == (64, True, -3)
    assert "tensors" not in found


def test_a_file_beside_the_log_tells(tmp_path: Path) -> None:
    (tmp_path / "hparams.yaml").write_text("# made\nlr: 1e-3\nmodel:\n  depth: 4\n  name: 'net'\nlayers: [1, 2]\n")
    run = RunBuilder(str(tmp_path / "metrics.csv"), "csv").fact("log", {"config": {}}).build()
    assert settings_of(run) == {"lr": 0.001, "model.depth": 4, "model.name": "net", "layers": "1, 2"}


@pytest.mark.parametrize("content", ["{not json", "[]", '"text"', ""])
def test_a_strange_file_beside_the_log_is_ignored(content: str, tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(content)
    assert read_config(tmp_path / "config.json") == {}


def test_printed_arguments_are_found(tmp_path: Path) -> None:
    log = tmp_path / "train.log"
    log.write_text("start\nNamespace(lr=0.01, name='a,b', seed=3, fast=True)\nloss 3.0\n")
    assert printed_arguments(log) == {"lr": 0.01, "name": "a,b", "seed": 3, "fast": True}


def test_labels_and_results_are_no_settings() -> None:
    runs = [run_of(1.0, s, lr=0.1 * s, output_dir=f"out/{s}", global_step=s, note=f"text {s}") for s in range(1, 6)]
    assert [setting.name for setting in settings_that_differ(outcomes(*runs))] == ["lr"]


def test_settings_that_change_together_are_one_bundle_and_seeds_make_repeats() -> None:
    runs = [run_of(1.0, s, name=f"n{lr}{s}", lr=lr, wd=lr / 10, train_seed=s) for lr in (0.1, 0.2) for s in (1, 2, 3)]
    settings = settings_that_differ(outcomes(*runs))
    assert [[s.name for s in bundle] for bundle in bundles(settings)] == [["lr", "weight_decay"]]
    search = [Setting("a", (1, 5, 2, 9)), Setting("b", (3, 4, 8, 1)), Setting("c", (-1, -5, -2, -9))]
    assert [[s.name for s in bundle] for bundle in bundles(search)] == [["a", "c"], ["b"]]
    assert repeats(settings, 6) == [[0, 1, 2], [3, 4, 5]]


def test_results_in_a_configuration_are_no_settings() -> None:
    config = {"training_loss": 0.25, "eval_accuracy": 0.9, "loss_fn": "mse", "loss_weight": 2.0, "lr": 0.1}
    run = RunBuilder("a.json", "json").series("loss/train", STEPS, losses(0.5, 1)).fact("log", {"config": config})
    assert settings_of(run.build()) == {"loss_fn": "mse", "loss_weight": 2.0, "lr": 0.1}


def test_a_number_in_one_name_alone_is_no_setting() -> None:
    runs = [run_of(0.5, name=name) for name in ("Group7_lr0.1", "lr0.1_b", "lr0.2", "lr0.2_b")]
    assert [setting.name for setting in settings_that_differ(outcomes(*runs))] == ["lr"]


def test_a_log_without_settings_hides_none_of_the_others() -> None:
    known = [run_of(0.2, lr=0.05), run_of(0.3, seed=1, lr=0.05), run_of(0.9, lr=60.0)]
    unknown = run_of(0.5, name="plain")
    assert "lr" in [setting.name for setting in settings_that_differ(outcomes(*known, unknown))]
