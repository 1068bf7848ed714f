"""`traindx ask`: pipes, answer files, JSON, a file that keeps the interview, one clear line for bad input."""

from __future__ import annotations

import io
import json
import sys

import pytest

from traindx.__main__ import main
from traindx.consult.questions import all_questions
from traindx.toml import parse

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
    for part in ("CONDITION", "NaN/Inf", "you said", "DO NOW", "RUN", "With --why"):
        assert part in page
    assert len(page.splitlines()) <= 24 and "PATH" not in page
    assert ask("--answers", "a.toml", "--why") == 0
    reasons = capsys.readouterr().out
    for part in ("PATH", "low-precision", "GO BACK", "MEASURE", "traindx check train.py", "STOP WHEN"):
        assert part in reasons
    code = "autocast"  # is not folded
    assert all(len(line) <= 80 for line in page.splitlines() if code not in line)
    assert not (tmp_path / "state").exists(), "nothing is left behind"


def test_json_is_all_that_goes_to_standard_output(tmp_path, capsys, monkeypatch):
    assert ask("--json", typed="nan\n\n\ndone\n", monkeypatch=monkeypatch) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["schema"] == "traindx.consultation/1"
    assert found["diagnosis"]["schema"] == "traindx.diagnosis/1"


def test_answers_through_a_pipe_stand_for_questions_in_their_order(capsys, monkeypatch):
    assert ask(typed="overfitting\nloss 0.1 3\n", monkeypatch=monkeypatch) == 0
    said = capsys.readouterr()
    assert "Why I ask:" in said.err and "How to find out:" in said.err
    assert "Overfitting" in said.out


def test_back_asks_again(capsys, monkeypatch):
    assert ask("--json", typed="overfitting\nloss 1 2\nback\nloss 0.1 3\ndone\n", monkeypatch=monkeypatch) == 0
    said = [entry["answer"] for entry in json.loads(capsys.readouterr().out)["said"]]
    assert "loss 0.1 in training, 3 in validation" in said and len(said) == 2


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


@pytest.mark.parametrize(
    "words",
    [
        "just tell me which optimizer",
        "demo tomorrow",
        "tune randomly",
        "bigger model",
        "more epochs",
        "different optimizer",
    ],
)
def test_pressure_gets_the_question_that_decides_and_one_measurement(words, capsys, monkeypatch):
    assert ask(*words.split(), typed="", monkeypatch=monkeypatch) == 0
    page = capsys.readouterr().out.strip().splitlines()
    assert len(page) <= 7
    assert page[0].startswith("IT DEPENDS") and page[-1].startswith("MEASURE       traindx ")
    assert not any("%" in line for line in page), "no guess"


def test_words_that_say_nothing_get_the_nine_symptoms_and_no_diagnosis(capsys, monkeypatch):
    assert ask("banana", typed="", monkeypatch=monkeypatch) == 0
    said = capsys.readouterr()
    assert "I did not understand 'banana'" in " ".join(said.err.split())
    assert "diagnose nothing" in said.out and said.out.count("\n              - ") == 9
    assert "CONDITION" not in said.out and "%" not in said.out


def test_an_answer_fits_a_screen_and_the_rest_is_shown_on_request(capsys, monkeypatch):
    words = ["the", "loss", "goes", "down", "but", "validation", "goes", "up"]
    assert ask(*words, typed="", monkeypatch=monkeypatch) == 0
    page = capsys.readouterr().out
    assert len(page.splitlines()) <= 20
    assert page.startswith("CONDITION     Overfitting") and "jumps" not in page and "With --why" in page
    assert ask(*words, "--why", typed="", monkeypatch=monkeypatch) == 0
    assert "PATH" in capsys.readouterr().out


@pytest.mark.parametrize(("variable", "value"), [("NO_COLOR", "1"), ("TERM", "dumb"), ("COLUMNS", "0")])
def test_a_poor_terminal_gets_the_plain_form(variable, value, capsys, monkeypatch):
    monkeypatch.setenv(variable, value)
    assert ask("my", "loss", "is", "nan", typed="3\n", monkeypatch=monkeypatch) == 0
    said = capsys.readouterr()
    assert "NaN/Inf, by what you said" in said.out and "\x1b" not in said.out + said.err


def test_an_answers_file_that_cannot_be_read_is_one_line(tmp_path, capsys):
    (tmp_path / "folder").mkdir()
    (tmp_path / "bytes.toml").write_bytes(b"\xff\xfe\x00")
    for name in ("folder", "bytes.toml", "missing.toml"):
        assert ask("--answers", name) == 2
        assert len(capsys.readouterr().err.splitlines()) == 1
