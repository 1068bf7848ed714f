"""A callback in the user's code leaves the record that `traindx run` leaves, and is silent under it."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

import traindx

MATRIX = Path(__file__).parents[1] / "observe/frameworks/matrix"
# By module: its script, and the edit that puts the callback in.
CALLBACKS = {
    "lightning": ("lit.py", "max_epochs=EPOCHS,", "max_epochs=2, callbacks=[TraindxCallback('own.tdx')],"),
    "huggingface": ("hf.py", "eval_dataset=rows[1])", "eval_dataset=rows[1], callbacks=[TraindxCallback('own.tdx')])"),
    "keras": ("keras_on_torch.py", "verbose=0)", "verbose=0, callbacks=[TraindxCallback('own.tdx')])"),
}
PACKAGES = {"lightning": "lightning", "huggingface": "transformers", "keras": "keras", "accelerate": "accelerate"}


def needs(*packages):
    missing = [package for package in packages if find_spec(package) is None]
    if missing:
        pytest.skip(f"{', '.join(missing)} not installed")


def execute(folder, *words, **env):
    env = {**os.environ, "OMP_NUM_THREADS": "1", **env}
    done = subprocess.run([sys.executable, *words], cwd=folder, env=env, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-3000:]
    return done


def written(folder, name, *edits):
    for file in ("task.py", "net.py", name):
        text = (MATRIX / file).read_text().replace("EPOCHS, BATCH = 8, 32", "EPOCHS, BATCH = 2, 32")
        for old, new in edits if file == name else ():
            assert old in text
            text = text.replace(old, new)
        (folder / file).write_text(text)
    return name


@pytest.mark.parametrize("framework", CALLBACKS)
def test_callback_and_run_leave_the_same_record(tmp_path, framework):
    needs(PACKAGES[framework])
    script, place, line = CALLBACKS[framework]
    head = ("from task", f"from traindx.callbacks.{framework} import TraindxCallback\nfrom task")
    written(tmp_path, script, (place, line), head)
    done = execute(tmp_path, script)
    assert done.stderr.count("record kept in own.tdx") == 1 and "64 updates" in done.stderr
    own = traindx.load(tmp_path / "own.tdx")
    (tmp_path / "own.tdx").unlink()
    execute(tmp_path, "-m", "traindx", "run", "--no-diagnosis", "--out", "run.tdx", script)
    assert not (tmp_path / "own.tdx").exists(), "under traindx run there is one record"
    run = traindx.load(tmp_path / "run.tdx")
    assert own.steps == run.steps == 64
    for name in ("loss/train", "loss/validation"):
        assert np.array_equal(own.series(name).values, run.series(name).values), name
    assert sorted(own.layers("grad_norm").layers) == sorted(run.layers("grad_norm").layers)
    assert own.facts["framework"] == run.facts["framework"]
    assert own.facts["optimizers"][0]["groups"] == run.facts["optimizers"][0]["groups"]


def test_accelerates_tracker(tmp_path):
    needs("accelerate")
    script = written(
        tmp_path,
        "accelerated.py",
        ("accelerator = Accelerator(cpu=True)", TRACKED),
        ('    print("val_loss", total / len(test))', '    accelerator.log({"val_loss": total / len(test)})'),
    )
    with (tmp_path / script).open("a") as file:
        file.write("accelerator.end_training()\n")
    execute(tmp_path, script)
    own = traindx.load(tmp_path / "own.tdx")
    assert own.steps == 64 and len(own.series("loss/train")) == 64 and own.facts["exit"] == "ok"


TRACKED = """\
from traindx.callbacks.accelerate import TraindxTracker
accelerator = Accelerator(cpu=True, log_with=TraindxTracker("own.tdx"))
accelerator.init_trackers("project", {"lr": 1e-3})"""


def test_keras_on_jax_records_what_keras_tells(tmp_path):
    needs("keras", "jax")
    script = written(
        tmp_path,
        "keras_on_torch.py",
        ('"KERAS_BACKEND"] = "torch"', '"KERAS_BACKEND"] = "jax"'),
        ("from task", "from traindx.callbacks.keras import TraindxCallback\nfrom task"),
        ("model.fit(", "history = model.fit("),
        ("verbose=0)", "verbose=0, callbacks=[TraindxCallback('own.tdx')])\nprint(history.history['loss'])"),
    )
    done = execute(tmp_path, script)
    own = traindx.load(tmp_path / "own.tdx")
    assert own.steps == 64 and own.facts["framework"]["name"] == "keras"
    losses = own.series("loss/train").values
    epochs = [float(value) for value in done.stdout.strip(" []\n").split(",")]
    assert [losses[:32].mean(), losses[32:].mean()] == pytest.approx(epochs, rel=1e-4), "batches, not running means"
    assert len(own.series("loss/validation")) == len(own.series("lr")) == 2
    assert len(own.layers("weight_norm")) == 3 and "first.kernel" in own.layers("weight_norm").layers


def test_an_error_in_training_ends_the_record(tmp_path):
    needs("lightning")
    script, place, line = CALLBACKS["lightning"]
    head = ("from task", "from traindx.callbacks.lightning import TraindxCallback\nfrom task")
    written(tmp_path, script, (place, line), head, ('self.log("train_loss", loss)', "assert self.global_step < 20"))
    env = {**os.environ, "OMP_NUM_THREADS": "1"}
    done = subprocess.run([sys.executable, script], cwd=tmp_path, env=env, capture_output=True, text=True, timeout=300)
    assert done.returncode == 1 and "AssertionError" in done.stderr
    own = traindx.load(tmp_path / "own.tdx")
    assert own.facts["exit"] == "exception" and own.facts["error"]["type"] == "AssertionError" and own.steps == 20
