"""`traindx run` told something it cannot do: one clear line and exit code 2; and what ends a script early."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from traindx.__main__ import main
from traindx.record import load
from traindx.record.writer import RecordWriter

TRAINS = """
    import torch
    model = torch.nn.Linear(2, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for step in range(20):
        optimizer.zero_grad()
        model(torch.randn(4, 2)).pow(2).mean().backward()
        optimizer.step()
        print(step)
"""


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def refused(capsys, *words):
    code = main(["run", *words])
    heard = capsys.readouterr()
    assert code == 2
    assert heard.out == ""
    assert heard.err.count("\n") == 1 and heard.err.startswith("traindx run: ")
    return heard.err


def test_bad_input_is_one_clear_line(tmp_path, script, capsys):
    good = str(script("print(1)", "good.py"))
    (tmp_path / "folder").mkdir()
    (tmp_path / "image.png").write_bytes(b"\x89PNG\0\0\0")
    (tmp_path / "taken.tdx").write_text("mine")
    assert "no such script: nowhere.py" in refused(capsys, "nowhere.py")
    assert "folder" in refused(capsys, "folder")
    assert "image.png" in refused(capsys, "image.png")
    assert "no module named nowhere" in refused(capsys, "-m", "nowhere")
    assert "no module named a.b.c" in refused(capsys, "-m", "a.b.c")
    assert "taken.tdx exists already; --force" in refused(capsys, "--out", "taken.tdx", good)
    assert (tmp_path / "taken.tdx").read_text() == "mine"
    assert "cannot write" in refused(capsys, "--out", "taken.tdx/run.tdx", good)
    assert "folder" in refused(capsys, "--out", "folder", good)
    assert "only records" in refused(capsys, "--force", "--out", "taken.tdx", good)
    assert "only records" in refused(capsys, "--force", "--out", good, good)
    assert (tmp_path / "taken.tdx").read_text() == "mine" and "print(1)" in Path(good).read_text()
    assert "--wat" in refused(capsys, "--wat", good)
    for number in ("0", "-1", "x"):
        assert "--max-steps" in refused(capsys, "--max-steps", number, good)
    for number in ("101", "nan", "many"):
        said = refused(capsys, "--budget", number, good)
        assert "--budget" in said and "_percentage" not in said
    assert "script" in refused(capsys)


def test_force_overwrites_and_the_rest_of_the_line_is_the_scripts(tmp_path, script, capsys):
    path = script("import sys\nprint(sys.argv[1:])", "says.py")
    assert main(["run", "--out", "taken.tdx", str(path)]) == 0
    words = ["--force", "--out", "b", "--max-steps", "0", "-h"]
    capsys.readouterr()
    assert main(["run", "--out", "taken.tdx", "--force", str(path), *words]) == 0
    assert capsys.readouterr().out == f"{words}\n"
    masked = ["--force", "--out", "***", "--max-steps", "0", "-h"]
    assert load(tmp_path / "taken.tdx").facts["script"]["argv"] == masked
    assert main(["run", "--out", "taken.tdx", "--force", "--record-args", str(path), *words]) == 0
    assert load(tmp_path / "taken.tdx").facts["script"]["argv"] == words


def test_record_in_use_is_not_overwritten(tmp_path, script, capsys):
    writer = RecordWriter(tmp_path / "running.tdx")
    writer.fact("steps", 1)
    writer.flush()
    assert "in use" in refused(capsys, "--force", "--out", "running.tdx", str(script("print(1)")))
    writer.close()
    assert load(tmp_path / "running.tdx").facts == {"steps": 1}
    assert main(["run", "--force", "--no-diagnosis", "--out", "running.tdx", str(script("print(1)"))]) == 0


def test_records_are_for_their_owner_alone(tmp_path, script):
    assert main(["run", "--no-diagnosis", "--out", "run.tdx", str(script("print(1)"))]) == 0
    assert (tmp_path / "run.tdx").stat().st_mode & 0o777 == 0o600


def test_mistyped_option_leaves_no_record(tmp_path, script, capsys):
    path = script("import argparse\np = argparse.ArgumentParser()\np.add_argument('--lr')\np.parse_args()")
    assert main(["run", str(path), "--max-steps", "5"]) == 2
    said = capsys.readouterr().err
    assert "no record was kept" in said and "--max-steps was passed to the script" in said
    assert not list(tmp_path.glob("traindx-runs/*"))
    assert main(["run", str(script("raise ValueError('early')"))]) == 1
    assert len(list(tmp_path.glob("traindx-runs/*.tdx"))) == 1  # a crash is worth a look


def test_option_that_the_script_ignores_is_told(script, capsys):
    assert main(["run", "--out", "run.tdx", str(script("print(1)")), "--max-steps", "5"]) == 0
    assert "--max-steps was passed to the script" in capsys.readouterr().err
    knows = script("import sys\nprint('--max-steps' in sys.argv)")
    assert main(["run", "--out", "other.tdx", str(knows), "--max-steps", "5"]) == 0
    assert "passed to the script" not in capsys.readouterr().err


@pytest.mark.parametrize(("ending", "code"), [("", 0), ("raise SystemExit(9)", 9)])
def test_script_that_never_trains_is_told_so(script, capsys, ending, code):
    path = script(f"import torch\ntorch.randn(2)\n{ending}", "idle.py")
    assert main(["run", "--out", "run.tdx", str(path)]) == code
    assert "never trained" in capsys.readouterr().err


def test_steps_without_a_backward_are_a_training(script, capsys):
    path = script(
        """
        import torch
        weight = torch.nn.Parameter(torch.ones(3))
        optimizer = torch.optim.SGD([weight], lr=0.1)
        for _ in range(20):
            weight.grad = 2 * weight.detach()
            optimizer.step()
        """
    )
    assert main(["run", "--out", "run.tdx", str(path)]) == 0
    said = capsys.readouterr().err
    assert "never trained" not in said and "20 steps" in said


def test_what_was_not_observed_to_its_end_is_not_judged(script, capsys):
    path = script(
        """
        import threading, torch
        together = threading.Barrier(2)
        def work():
            weight = torch.nn.Parameter(torch.ones(3))
            optimizer = torch.optim.SGD([weight], lr=0.1)
            together.wait()
            for _ in range(500):
                optimizer.zero_grad()
                weight.pow(2).sum().backward()
                optimizer.step()
        workers = [threading.Thread(target=work) for _ in range(2)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        """
    )
    assert main(["run", "--out", "run.tdx", str(path)]) == 0
    first, *_ = capsys.readouterr().err.splitlines()
    assert first == "traindx: this script was not observed to its end: several threads train at once"


def test_max_steps_ends_the_script_early_and_well(script, capsys):
    assert main(["run", "--no-diagnosis", "--out", "run.tdx", "--max-steps", "7", str(script(TRAINS))]) == 0
    assert capsys.readouterr().out == "".join(f"{n}\n" for n in range(6))  # the seventh step is the last thing done
    assert load("run.tdx").steps == 7


def test_unwritable_default_place_does_not_stop_the_training(tmp_path, script, capsys):
    (tmp_path / "traindx-runs").write_text("a file where the folder would be")
    assert main(["run", "--no-diagnosis", str(script("print('trained')"))]) == 0
    heard = capsys.readouterr()
    assert heard.out == "trained\n" and "the record goes to" in heard.err


def test_the_script_may_go_elsewhere_and_put_stderr_away(script, capsys, tmp_path):
    path = script(
        """
        import io, os, sys, torch
        os.mkdir("elsewhere")
        os.chdir("elsewhere")
        sys.stderr = io.StringIO()
        weight = torch.nn.Parameter(torch.ones(3))
        optimizer = torch.optim.SGD([weight], lr=0.1)
        for _ in range(20):
            optimizer.zero_grad()
            weight.pow(2).sum().backward()
            optimizer.step()
        """
    )
    before = Path.cwd()
    stderr = sys.stderr
    try:
        assert main(["run", "--out", "run.tdx", str(path)]) == 0
    finally:
        os.chdir(before)
        sys.stderr = stderr
    said = capsys.readouterr().err
    assert "20 steps" in said and said.startswith("traindx: record kept in run.tdx\n\n")
    assert load(tmp_path / "run.tdx").facts["steps"] == 20
