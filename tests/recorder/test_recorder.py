"""`traindx.start`: the record of a script in any framework. It needs no torch, and no argument stops the training."""

from __future__ import annotations

import math
import os
import signal
import stat
import subprocess
import sys
import textwrap
from collections import namedtuple
from pathlib import Path

import numpy as np
import pytest

import traindx
from traindx.readers import read
from traindx.recorder.layers import leaves


def script(text: str, folder: Path) -> subprocess.CompletedProcess[str]:
    words = [sys.executable, "-c", textwrap.dedent(text)]
    return subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=120)


def test_it_works_where_torch_cannot_be_imported(tmp_path: Path) -> None:
    done = script(
        """
        import sys
        sys.modules["torch"] = None  # importing it raises
        import numpy as np
        import traindx
        draw = np.random.default_rng(0)
        with traindx.start("run.tdx") as run:
            for step in range(60):
                run.log(step, loss=2.0 * 0.97**step, lr=0.1)
                run.gradients(step, {"w": draw.normal(size=(4, 4))})
                run.activations(step, {"relu": abs(draw.normal(size=(8, 4)))})
                run.parameters(step, {"w": draw.normal(size=(4, 4))})
            assert "loss" in str(run.diagnose())
        print(run.run.steps, sorted(run.run.quantities)[:3])
        """,
        tmp_path,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split()[0] == "60" and "act_dead" in done.stdout
    assert done.stderr == ""


def test_names_mean_what_they_mean_in_a_log(tmp_path: Path) -> None:
    with traindx.start(tmp_path / "run.tdx") as run:
        for step in range(40):
            run.log(step, train_loss=2.0 - step / 40, learning_rate=0.1, grad_norm=3.0, widgets=7, val_loss=None)
            if step % 10 == 0:
                run.log(step, {"val/loss": 1.5, "val/acc": 55.0 + step, "train_acc": np.float32(50.0)})
    record = traindx.load(tmp_path / "run.tdx")
    assert record.kind == "recorded" and record.steps == 40
    assert len(record.series("loss/train")) == len(record.series("lr")) == len(record.series("grad_norm")) == 40
    assert record.series("loss/validation").values.tolist() == [1.5] * 4
    assert record.series("accuracy/validation").values == pytest.approx([0.55, 0.65, 0.75, 0.85])  # were in per cent
    assert record.series("accuracy/train").values == pytest.approx([0.5] * 4)
    assert record.series("raw/widgets").values.tolist() == [7.0] * 40
    assert not any(name.startswith("logged/") for name in record.series_names)
    assert record.facts["exit"] == "ok"
    assert [found.steps for found in read(tmp_path / "run.tdx")] == [40]
    assert stat.S_IMODE((tmp_path / "run.tdx").stat().st_mode) == 0o600


def test_it_is_diagnosed_while_it_runs(tmp_path: Path) -> None:
    run = traindx.start(tmp_path / "run.tdx")
    for step in range(100):
        run.log(step, loss=math.nan if step > 50 else 1.0)
    assert run.diagnose().verdict == "sick"
    assert run.diagnose().exit == "running" and "recording" in repr(run)
    run.stop()
    run.log(100, loss=1.0)  # one line, no error
    assert run.run.steps == 100 and "stopped" in repr(run)


def test_a_killed_run_keeps_what_was_logged(tmp_path: Path) -> None:
    done = script(
        """
        import os, signal, time, traindx
        run = traindx.start("run.tdx")
        for step in range(200):
            run.log(step, loss=1.0)
            time.sleep(0.002)
        os.kill(os.getpid(), signal.SIGKILL)
        """,
        tmp_path,
    )
    assert done.returncode == -signal.SIGKILL
    record = traindx.load(tmp_path / "run.tdx")
    assert record.facts["exit"] == "killed" and record.steps >= 50


@pytest.mark.parametrize(
    ("ending", "expected"), [("pass", "ok"), ("raise ValueError('mail me@there.org')", "exception")]
)
def test_a_script_that_forgets_to_stop_still_says_how_it_ended(ending: str, expected: str, tmp_path: Path) -> None:
    script(f"import traindx\nrun = traindx.start('run.tdx')\nrun.log(0, loss=1.0)\n{ending}", tmp_path)
    facts = traindx.load(tmp_path / "run.tdx").facts
    assert facts["exit"] == expected
    assert "me@there" not in str(facts.get("error"))


def test_what_cannot_be_recorded_is_one_line_and_the_run_goes_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    class Odd:
        def __array__(self, *_: object) -> object:
            raise RuntimeError("on\nanother device")

    with traindx.start(tmp_path / "run.tdx") as run:
        for step in range(3):
            run.log(step, loss=1.0, note="text", several=np.ones(3))
            run.gradients(step, {"a": np.array([object()]), "b": Odd(), "c": np.ones((2, 2)), "d": np.ones(0)})
            run.activations(step, {"x": "text", "empty": np.ones((0, 4)), "scalar": 1.0, "one": np.ones(4)})
            run.parameters(step, None)
            run.parameters(step, {"w": np.full((2, 2), np.nan)})
        for step in (-1, 1.5, "two", math.nan, 1 << 60):
            run.log(step, loss=1.0)
        loop: list[object] = []
        loop.append(loop)
        run.gradients(3, loop)
    lines = capsys.readouterr().err.splitlines()
    assert all(line.startswith("traindx: ") and line.endswith("; the run goes on") for line in lines)
    assert sum("gradients: a is not recorded" in line for line in lines) == 1
    assert {line.split()[2] for line in lines} >= {"note", "several", "a", "b", "x", "step"}
    record = traindx.load(tmp_path / "run.tdx")
    assert record.steps == 3
    assert record.layers("grad_norm").column("c")[:3] == pytest.approx([2.0] * 3)


def test_trees_give_names_in_order() -> None:
    pair = namedtuple("pair", "kernel bias")
    tree = {f"Dense_{i}": {"kernel": i} for i in sorted(range(12), key=str)}
    assert [name for name, _ in leaves(tree)] == [f"Dense_{i}.kernel" for i in range(12)]
    assert [name for name, _ in leaves({"late": 1, "early": 2})] == ["late", "early"]
    assert [name for name, _ in leaves([(np.ones(1), np.ones(2)), pair(np.ones(1), None)])] == [
        "0.0",
        "0.1",
        "1.kernel",
    ]
    assert [name for name, _ in leaves({"a": [1.0, 2.0]})] == ["a"]


def test_arrays_need_only_speak_dlpack(tmp_path: Path) -> None:
    class Foreign:
        def __init__(self, values: np.ndarray) -> None:
            self._values = values

        def __dlpack__(self, **options: object) -> object:
            return self._values.__dlpack__(**options)

        def __dlpack_device__(self) -> object:
            return self._values.__dlpack_device__()

    with traindx.start(tmp_path / "run.tdx") as run:
        run.gradients(0, {"w": Foreign(np.full((3, 3), 2.0)), "half": np.full((2, 2), 300.0, np.float16)})
    table = traindx.load(tmp_path / "run.tdx").layers("grad_norm")
    assert table.column("w") == pytest.approx([6.0]) and table.column("half") == pytest.approx([600.0])


def test_update_ratio_needs_snapshots_one_step_apart(tmp_path: Path) -> None:
    with traindx.start(tmp_path / "run.tdx") as run:
        weight = np.ones((4, 4))
        for step in (0, 1, 10, 20):
            run.parameters(step, {"w": weight})
            weight *= 1.1  # in place, as NumPy code does it
        run.parameters(20, {"w": weight})  # after the step, under its number
    table = traindx.load(tmp_path / "run.tdx").layers("update_ratio")
    assert table.steps.tolist() == [0, 20]
    assert table.column("w") == pytest.approx([0.1, 0.1])
    assert traindx.load(tmp_path / "run.tdx").layers("weight_norm").steps.tolist() == [0, 1, 10, 20]


def test_looks_that_stop_early_do_not_show_the_end(tmp_path: Path) -> None:
    with traindx.start(tmp_path / "run.tdx") as run:
        for step in range(100):
            run.log(step, loss=1.0)
            if step < 30:
                run.gradients(step, {"w": np.ones((2, 2))})
    record = traindx.load(tmp_path / "run.tdx")
    assert record.end_unseen("deep") is not None
    assert record.facts["coverage"]["deep"]["last"] == 29


def test_an_existing_file_is_kept(tmp_path: Path) -> None:
    (tmp_path / "run.tdx").write_text("mine")
    with pytest.raises(traindx.RecordError, match="exists already"):
        traindx.start(tmp_path / "run.tdx")
    assert (tmp_path / "run.tdx").read_text() == "mine"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_forked_worker_does_not_end_the_run(tmp_path: Path) -> None:
    with traindx.start(tmp_path / "run.tdx") as run:
        run.log(0, loss=1.0)
        child = os.fork()
        if not child:
            run.stop()
            os._exit(0)
        os.waitpid(child, 0)
        run.log(1, loss=1.0)
        assert "exit" not in run.run.facts
    assert traindx.load(tmp_path / "run.tdx").steps == 2


def test_every_command_reads_it(tmp_path: Path) -> None:
    for name in ("a", "b"):
        with traindx.start(tmp_path / f"{name}.tdx") as run:
            for step in range(50):
                run.log(step, loss=1.0 / (1 + step), val_loss=1.1 / (1 + step))
    for words in ("diagnose a.tdx", "report a.tdx -o a.html", "compare a.tdx b.tdx", "redact a.tdx -o shared.tdx",
                  "diagnose shared.tdx"):  # fmt: skip
        done = subprocess.run(
            [sys.executable, "-m", "traindx", *words.split()], cwd=tmp_path, capture_output=True, text=True
        )
        assert done.returncode in (0, 1) and "Traceback" not in done.stderr, (words, done.stderr)
    shared = traindx.load(tmp_path / "shared.tdx")
    assert shared.kind == "recorded" and len(shared.series("loss/train")) == 50
