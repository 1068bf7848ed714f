"""W&B, MLflow, Hugging Face, and our own records."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from _write import wandb_file

from traindx.readers import ReaderError, read


def test_wandb_history_over_many_blocks(tmp_path: Path) -> None:
    rows = [{"_step": s, "train/loss": 3.0 / (1 + s), "note": "x" * (s % 300)} for s in range(2000)]
    path = wandb_file(tmp_path / "run-abc.wandb", rows, config={"lr": 0.1})
    assert path.stat().st_size > 3 * 32768
    [run] = read(path)
    assert run.kind == "wandb"
    assert run.series("loss/train").steps.tolist() == list(range(2000))
    assert run.series("loss/train").values == pytest.approx([3.0 / (1 + s) for s in range(2000)])
    assert run.facts["log"]["config"]["lr"] == 0.1


def test_wandb_records_that_begin_anywhere_in_the_last_bytes_of_a_block(tmp_path: Path) -> None:
    # Where just a chunk's header fits into the rest of a block, the first chunk of a record is empty.
    for length in range(32600, 32700):
        rows = [{"_step": 0, "loss": 1.0, "pad": "y" * length}, *({"_step": s, "loss": 1.0} for s in range(1, 40))]
        [run] = read(wandb_file(tmp_path / "x.wandb", rows))
        assert run.series("loss/train").steps.tolist() == list(range(40)), length


def test_wandb_not_finite_values_and_nested_keys(tmp_path: Path) -> None:
    rows = [
        {"_step": 0, "loss": 1.0, "val": {"loss": 2.0}},
        {"_step": 1, "loss": "NaN"},
        {"_step": 2, "loss": math.inf},
    ]
    [run] = read(wandb_file(tmp_path / "x.wandb", rows))
    assert np.isnan(run.series("loss/train").values[1]) and np.isinf(run.series("loss/train").values[2])
    assert run.series("loss/validation").values.tolist() == [2.0]


def test_wandb_global_step_counts_rather_than_calls_of_the_logger(tmp_path: Path) -> None:
    rows = [{"_step": i, "train/global_step": 10 * i, "train/loss": 1.0} for i in range(5)]
    [run] = read(wandb_file(tmp_path / "x.wandb", rows))
    assert run.series("loss/train").steps.tolist() == [0, 10, 20, 30, 40]


def test_wandb_folder_of_runs(tmp_path: Path) -> None:
    for name in ("offline-run-1-a", "run-2-b"):
        wandb_file(tmp_path / "wandb" / name / f"run-{name}.wandb", [{"_step": 0, "loss": 1.0}])
    assert len(read(tmp_path)) == 2


def test_wandb_file_cut_by_a_crash(tmp_path: Path) -> None:
    path = wandb_file(tmp_path / "x.wandb", [{"_step": s, "loss": 1.0, "pad": "y" * 1000} for s in range(100)])
    path.write_bytes(path.read_bytes()[:50_000])
    [run] = read(path)
    assert 30 < len(run.series("loss/train")) < 100


def test_mlflow_store(tmp_path: Path) -> None:
    metrics = tmp_path / "mlruns" / "0" / "abc123" / "metrics"
    metrics.mkdir(parents=True)
    (metrics / "train_loss").write_text("".join(f"{1690000000000 + s} {2.0 / (s + 1)} {s}\n" for s in range(20)))
    (metrics / "val_loss").write_text("1690000000000 nan 10\n1690000000001 0.5 20\n")
    for place in (tmp_path, tmp_path / "mlruns", tmp_path / "mlruns" / "0" / "abc123"):
        [run] = read(place)
        assert run.series("loss/train").steps.tolist() == list(range(20))
        assert run.series("loss/validation").steps.tolist() == [10, 20]
        assert np.isnan(run.series("loss/validation").values[0])


def test_settings_of_an_mlflow_run_and_its_place_among_runs(tmp_path: Path) -> None:
    from traindx.readers.folders import places_at

    for name in ("a", "b"):
        for kind, file, text in (("metrics", "val/loss", "1690000000000 0.5 0\n"), ("params", "lr", "0.001\n")):
            path = tmp_path / "0" / name / kind / file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
    (tmp_path / "0" / "a" / "params" / "optimizer").write_text("adam")
    assert [place.path.name for place in places_at(tmp_path)] == ["a", "b"]
    [run] = read(tmp_path / "0" / "a")
    assert run.facts["log"]["config"] == {"lr": 0.001, "optimizer": "adam"}


def trainer_state(steps: int) -> dict[str, object]:
    history: list[dict[str, float]] = []
    for s in range(10, steps + 1, 10):
        history.append({"loss": 2.0 - s / 1000, "grad_norm": 1.0, "learning_rate": 1e-4, "epoch": s / 100, "step": s})
        if s % 50 == 0:
            history.append({"eval_loss": 2.1 - s / 1000, "eval_runtime": 3.0, "epoch": s / 100, "step": s})
    history.append({"train_runtime": 9.0, "train_loss": 1.5, "epoch": 1.0, "step": steps})
    return {"global_step": steps, "max_steps": 200, "log_history": history}


def test_hugging_face_state_keeps_the_summary_out_of_the_curve(tmp_path: Path) -> None:
    path = tmp_path / "anything"
    path.write_text(json.dumps(trainer_state(100)))
    [run] = read(path)
    assert run.kind == "hf-trainer"
    assert run.series("loss/train").steps.tolist() == list(range(10, 101, 10))
    assert 1.5 not in run.series("loss/train").values
    assert run.series("loss/validation").steps.tolist() == [50, 100]
    assert run.facts["log"]["columns"]["loss/train"] == "loss"
    assert run.facts["log"]["config"]["max_steps"] == 200


def test_checkpoint_folders_tell_one_story(tmp_path: Path) -> None:
    for steps in (50, 100):
        (tmp_path / f"checkpoint-{steps}").mkdir()
        (tmp_path / f"checkpoint-{steps}" / "trainer_state.json").write_text(json.dumps(trainer_state(steps)))
    [run] = read(tmp_path)
    assert run.series("loss/train").steps.max() == 100


def test_a_single_point_run_with_its_summary(tmp_path: Path) -> None:
    path = tmp_path / "s.json"
    path.write_text(json.dumps(trainer_state(10)))
    [run] = read(path)
    assert run.series("loss/train").values.tolist() == [1.99]


def test_a_database_of_another_program_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.tdx"
    path.write_bytes(b"SQLite format 3\0" + bytes(range(256)) * 20)
    with pytest.raises(ReaderError, match="not a traindx record"):
        read(path)


def test_a_table_with_one_value_a_row(tmp_path: Path) -> None:
    header = '"Run","Run ID","metric","step","timestamp","value"\n'
    rows = [f'"fox","a1","loss","{s}","17618{s}","{2.5 / (1 + s)}"\n' for s in range(0, 50, 5)]
    rows += [f'"fox","a1","val_loss","{s}","17618{s}","{2.6 / (1 + s)}"\n' for s in range(0, 50, 10)]
    path = tmp_path / "export.csv"
    path.write_text(header + "".join(rows))
    [run] = read(path)
    assert run.series("loss/train").steps.tolist() == list(range(0, 50, 5))
    assert run.series("loss/train").values == pytest.approx([2.5 / (1 + s) for s in range(0, 50, 5)])
    assert len(run.series("loss/validation")) == 5


def test_several_runs_of_such_a_table_are_apart(tmp_path: Path) -> None:
    rows = [f"{run},loss,{s},{1.0 / (1 + s) + i}\n" for i, run in enumerate("ab") for s in range(8)]
    path = tmp_path / "export.csv"
    path.write_text("run,tag,step,value\n" + "".join(rows))
    assert [len(run.series("loss/train")) for run in read(path)] == [8, 8]


def test_a_trial_of_ray_tune_counts_once_with_its_settings(tmp_path: Path) -> None:
    for number, rate in enumerate((0.01, 0.1)):
        folder = tmp_path / f"train_a1_{number}_lr={rate}"
        folder.mkdir()
        config = {"lr": rate, "net": {"hidden": 8}}
        rows = [
            {
                "loss": 1.0 / s,
                "training_iteration": s,
                "trial_id": f"a1_{number}",
                "config": config,
            }
            for s in range(1, 21)
        ]
        (folder / "result.json").write_text("".join(json.dumps(row) + "\n" for row in rows) + '{"loss": 0.')
        (folder / "params.json").write_text(json.dumps(config))
        cells = "".join(f"{row['loss']},{row['training_iteration']},{rate}\n" for row in rows)
        (folder / "progress.csv").write_text(f"loss,training_iteration,config/lr\n{cells}")
    runs = read(tmp_path)
    assert [run.facts["log"]["config"] for run in runs] == [{"lr": r, "net": {"hidden": 8}} for r in (0.01, 0.1)]
    for run in runs:
        assert run.kind == "ray-tune"
        assert run.series("loss/train").steps.tolist() == list(range(1, 21))
        assert not run.series("lr")
