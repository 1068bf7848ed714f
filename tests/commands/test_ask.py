"""`traindx ask`: pipes, answer files, JSON, a file that keeps the interview, one clear line for bad input."""

from __future__ import annotations

import io
import json
import sys

import pytest

from traindx.__main__ import main
from traindx.consult.questions import all_questions
from traindx.consult.toml import parse

NAN = """
symptoms = ["nan"]
optimizer = "AdamW(lr=3e-4)"
precision = "fp16-unscaled"
batch-size = 32
first-nan = "1200, 2.31"
"""


@pytest.fixture(autouse=True)
def own_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.chdir(tmp_path)


def ask(*words, typed="", monkeypatch=None):
    if monkeypatch is not None:
        monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
    return main(["ask", *map(str, words)])


def test_answers_from_a_file(tmp_path, capsys):
    (tmp_path / "a.toml").write_text(NAN)
    assert ask("--answers", "a.toml") == 0
    page = capsys.readouterr().out
    for part in ("SICK", "low-precision", "PATH", "GO BACK", "MEASURE", "traindx check train.py", "STOP WHEN"):
        assert part in page
    code = "autocast"  # is not folded
    assert all(len(line) <= 80 for line in page.splitlines() if code not in line)
    assert not (tmp_path / "state").exists(), "nothing is left behind"


def test_json_is_all_that_goes_to_standard_output(tmp_path, capsys, monkeypatch):
    assert ask("--json", typed="nan\n\n\ndone\n", monkeypatch=monkeypatch) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["schema"] == "traindx.consultation/1"
    assert found["diagnosis"]["schema"] == "traindx.diagnosis/1"


def test_answers_through_a_pipe_stand_for_questions_in_their_order(capsys, monkeypatch):
    assert ask(typed="overfitting\nrises\n", monkeypatch=monkeypatch) == 0
    said = capsys.readouterr()
    assert "Why I ask:" in said.err and "How to find out:" in said.err
    assert "Overfitting" in said.out


def test_back_asks_again(capsys, monkeypatch):
    assert ask("--json", typed="overfitting\nrises\nback\nbad-from-start\ndone\n", monkeypatch=monkeypatch) == 0
    said = [entry["answer"] for entry in json.loads(capsys.readouterr().out)["said"]]
    assert "It is far worse from the first epoch on" in said


@pytest.mark.parametrize(
    ("content", "line"),
    [
        ("symptom = 1", "did you mean 'symptoms'"),
        ("optimizer = 'fast'", "name the optimizer and its learning rate"),
        ("symptoms = ", "is not TOML"),
        ("losses = 'hello'", "no number"),
        ("modes = 'sometimes'", "please choose one of"),
    ],
)
def test_a_bad_answer_file_gets_one_clear_line(tmp_path, capsys, content, line):
    (tmp_path / "bad.toml").write_text(content)
    assert ask("--answers", "bad.toml") == 2
    said = capsys.readouterr()
    assert said.out == "" and len(said.err.splitlines()) == 1 and line in said.err


def test_a_log_is_read_and_only_the_rest_is_asked(tmp_path, capsys, monkeypatch):
    (tmp_path / "run.csv").write_text(
        "step,loss\n" + "".join(f"{i},{2.3 / (1 + i / 50):.4f}\n" for i in range(80)) + "80,nan\n81,nan\n"
    )
    assert ask("run.csv", "--json", typed="", monkeypatch=monkeypatch) == 0
    found = json.loads(capsys.readouterr().out)
    [tree] = [tree for tree in found["trees"] if tree["symptom"] == "nan"]
    assert tree["path"][0]["by"] == "measured"
    assert "before step 72" in found["recovery"][0]


def test_a_file_that_is_not_there(capsys):
    assert ask("nowhere.tdx") == 2
    assert "nowhere.tdx does not exist" in capsys.readouterr().err


def test_words_on_the_command_line(capsys, monkeypatch):
    assert ask("my", "gpu", "runs", "out", "of", "memory", typed="", monkeypatch=monkeypatch) == 0
    page = capsys.readouterr().out
    assert page.startswith("OUT OF SCOPE") and "Halve the batch" in " ".join(page.split())


def test_an_interview_is_kept_and_goes_on(tmp_path, capsys, monkeypatch):
    assert ask("--resume", "mine.json", typed="nan\ndone\n", monkeypatch=monkeypatch) == 0
    kept = json.loads((tmp_path / "mine.json").read_text())
    assert kept["answers"]["symptoms"] == ["nan"]
    capsys.readouterr()
    assert ask("--resume", "mine.json", "--json", typed="", monkeypatch=monkeypatch) == 0
    said = capsys.readouterr()
    assert "What do you see" not in said.err
    assert json.loads(said.out)["diagnosis"]["verdict"] == "sick"


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"schema": "traindx.interview/1"}', "\x00"])
def test_a_damaged_file_is_refused_and_left_alone(tmp_path, capsys, content):
    (tmp_path / "kept.json").write_text(content)
    assert ask("--resume", "kept.json") == 2
    assert len(capsys.readouterr().err.splitlines()) == 1
    assert (tmp_path / "kept.json").read_text() == content


def test_ctrl_c_loses_nothing_and_says_how_to_go_on(tmp_path, capsys, monkeypatch):
    class Typed(io.StringIO):
        def readline(self, *_):
            line = super().readline()
            if not line:
                raise KeyboardInterrupt
            return line

    monkeypatch.setattr(sys, "stdin", Typed("nan\n"))
    assert main(["ask"]) == 130
    said = capsys.readouterr().err
    [kept] = (tmp_path / "state" / "traindx" / "interviews").iterdir()
    assert f"traindx ask --resume {kept.relative_to(tmp_path)}" in said
    assert json.loads(kept.read_text())["answers"] == {"symptoms": ["nan"]}
    assert kept.stat().st_mode & 0o077 == 0


def test_the_template_can_be_filled_in(tmp_path, capsys):
    assert ask("--questions") == 0
    text = capsys.readouterr().out
    for name in all_questions():
        assert f"# {name} = " in text
    filled = "\n".join(
        line.removeprefix("# ") for line in text.splitlines() if line.startswith(("# symptoms =", "# modes ="))
    )
    assert parse(filled) == {"symptoms": ["plateau"], "modes": "right"}
