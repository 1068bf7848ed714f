"""What a new user trips over: each gets one clear line, before time is spent, and loses nothing."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "comparison"))
from made_runs import write_csv

from traindx.record import RunBuilder
from traindx.record.types import steps_covered


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write_csv(tmp_path / "a.csv", 0.5)
    (tmp_path / "train.py").write_text("print('a script')\n")
    (tmp_path / "folder").mkdir()
    return tmp_path


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--verison"], "did you mean --version?"),
        (["-v"], "--help and --version"),
        (["diagnose", "--fail-onn", "never", "a.csv"], "did you mean --fail-on?"),
        (["diagnose", "train.py"], "traindx run train.py"),
        (["report", "train.py"], "traindx run train.py"),
        (["diagnose", "why", "is", "it", "nan"], "traindx ask why is it nan takes words"),
        (["diagnose", "a.csv", "-o", "folder"], "folder is a folder"),
        (["diagnose", "a.csv", "-o", "no/such/x.md"], "no folder no/such"),
        (["plot", "a.csv", "-o", "folder.png/x.png"], "no folder folder.png"),
        (["report", "a.csv", "-o", "no/such/x.html"], "no folder no/such"),
        (["compare", "a.csv", "-o", "no/such/x.html"], "no folder no/such"),
        (["check", "-o", "no/such/x", "train.py"], "no folder no/such"),
        (["check", "--record", "no/such/x.tdx", "train.py"], "no folder no/such"),
        (["lr", "--plot", "x.docx", "train.py"], ".png, .svg, .pdf"),
    ],
)
def test_one_clear_line(words: list[str], said: str, folder: Path, traindx_: Any) -> None:
    told = traindx_(*words)
    assert told.code == 2 and told.out == ""
    assert told.err.count("\n") == 1 and said in told.err, told.err


def test_a_question_beside_a_file_does_not_hide_the_answer(folder: Path, traindx_: Any) -> None:
    told = traindx_("diagnose", "a.csv", "why is it nan")
    assert told.code == 2 and told.err.count("\n") == 1 and "a.csv" in told.out


def test_a_file_that_may_not_be_written_is_told_at_once(
    folder: Path, traindx_: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "access", lambda path, mode: False)  # root may write everywhere
    told = traindx_("check", "-o", "x.txt", "train.py")
    assert told.code == 2 and "Permission denied" in told.err and "running" not in told.err


def test_names_survive_a_locale_without_unicode(folder: Path) -> None:
    (folder / "a.csv").rename(folder / "ünï.csv")
    environment = {**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    environment.pop("PYTHONIOENCODING", None)
    told = subprocess.run(
        [sys.executable, "-m", "traindx", "diagnose", "ünï.csv"], env=environment, capture_output=True, check=False
    )
    assert told.returncode == 0 and told.stdout.isascii()
    assert b"?n?.csv (csv, " in told.stdout


@pytest.mark.parametrize("verb", [["diagnose", "a.csv"], ["explain"], ["compare", "a.csv"]])
def test_a_closed_pipe_is_silent(verb: list[str], folder: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "traindx", *verb], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None and process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait() in (0, 141)


@pytest.mark.parametrize(
    ("columns", "count"),
    [
        ([[10, 20, 30]], 30),
        ([[1, 2, 3]], 3),
        ([[0, 1, 2]], 3),
        ([[0, 10, 20]], 21),
        ([[49, 99, 149]], 150),
        ([[10, 20, 30], [30]], 30),  # an evaluation at the end tells nothing
        ([[7]], 8),
        ([], 0),
    ],
)
def test_steps_are_counted_as_the_log_counts(columns: list[list[int]], count: int) -> None:
    assert steps_covered([np.array(column) for column in columns]) == count
    if columns:
        run = RunBuilder("log", "csv").series("loss/train", columns[0], np.ones(len(columns[0]))).build()
        assert run.steps == count


def test_a_column_of_epochs_is_named_once(folder: Path, traindx_: Any) -> None:
    rows = "".join(f"{epoch},{1 / (epoch + 1)}\n" for epoch in range(30))
    (folder / "e.csv").write_text("epoch,loss\n" + rows)
    told = " ".join(traindx_("diagnose", "e.csv").out.split())
    assert "epoch as step" in told and "epoch as epoch" not in told


def lost(norm: float) -> RunBuilder:
    steps = np.arange(100)
    loss, norms = np.exp(-steps / 40) + 0.3, np.full(100, 1.0)
    loss[80:] = np.nan
    norms[78:] = [norm, norm, *[np.nan] * 20]
    return RunBuilder("a.jsonl", "json-lines").series("loss/train", steps, loss).series("grad_norm", steps, norms)


def test_a_gradient_norm_that_is_lost_before_the_loss_is_told() -> None:
    found = lost(np.inf).build().diagnose()
    assert "the gradient norm is Inf already at step 78" in found.summary
    assert "before step 78" in found.do_now[0]
    assert "already" not in lost(1.0).build().diagnose().summary


def test_a_loss_that_is_computed_wrongly_gives_no_advice_on_checkpoints() -> None:
    """Its curve says nothing about weights; the mark stands where the fault begins."""
    torch = pytest.importorskip("torch")
    import warnings

    import traindx

    torch.manual_seed(0)
    x, held = torch.randn(64, 4), torch.randn(64, 4)
    model = torch.nn.Sequential(torch.nn.Linear(4, 64), torch.nn.ReLU(), torch.nn.Linear(64, 1))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.05)
    with warnings.catch_warnings(), traindx.watch(model, optimizer) as run:
        warnings.simplefilter("ignore")
        for step in range(200):
            loss = torch.nn.functional.mse_loss(model(x), x.sum(1))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 10 == 9:
                model.eval()
                with torch.no_grad():
                    # Held out loss that rises: the sign of overfitting, were the loss what it seems.
                    torch.nn.functional.mse_loss(model(held) + step / 50, held.sum(1))
                model.train()
    found = run.diagnose()
    assert found.leading.cause == "broadcast-loss" and found.leading.basis == "seen"
    assert not [text for text in found.do_now if "checkpoint" in text]
    assert found.onset == 0
