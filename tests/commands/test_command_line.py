"""The command line itself: finding verbs, help, errors, and how it ends."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import traindx
from traindx import RecordError
from traindx.__main__ import main
from traindx.commands import _verbs
from traindx.commands._say import CommandError
from traindx.readers import ReaderError

HEAVY = {"numpy", "scipy", "polars", "torch", "pandas", "matplotlib", "sqlite3"}


def python(*words: str, **options: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *words], capture_output=True, text=True, check=False, **options)


def one_line(text: str) -> str:
    assert text.endswith("\n")
    assert text.count("\n") == 1, text
    return text.strip()


@pytest.fixture
def verb(monkeypatch: pytest.MonkeyPatch) -> Callable[[BaseException | int], None]:
    """Adds a verb `act` that raises or returns what it is given."""

    def install(outcome: BaseException | int) -> None:
        class Act:
            """Acts."""

            @staticmethod
            def configure(parser: Any) -> None:
                parser.add_argument("rest", nargs="*")
                parser.add_argument("--loud", action="store_true")

            @staticmethod
            def run(arguments: Any) -> int:
                if isinstance(outcome, BaseException):
                    raise outcome
                return outcome

        monkeypatch.setattr("traindx.__main__.verb_names", lambda: ("act",))
        monkeypatch.setattr("traindx.__main__.find_verb", lambda name: Act)

    return install


def test_help_names_every_verb_with_its_line(traindx_: Any) -> None:
    told = traindx_("--help")
    assert told.code == 0
    for name in _verbs.verb_names():
        assert f"  {name} " in told.out
        assert import_module(f"traindx.commands.{name}").HELP in told.out
    assert all(len(line) <= 80 for line in told.out.splitlines())


@pytest.mark.parametrize("words", [["--help"], ["--version"], ["diagnose", "--help"], ["nonsense"]])
def test_help_and_errors_import_nothing_heavy(words: list[str]) -> None:
    script = f"import sys; from traindx.__main__ import main; main({words}); print('|', *sys.modules, sep='\\n')"
    loaded = set(python("-c", script).stdout.rpartition("|")[2].split())
    assert loaded & HEAVY == set()


def test_help_imports_no_verb() -> None:
    script = "import sys; from traindx.__main__ import main; main(['--help']); print('|', *sys.modules, sep='\\n')"
    loaded = set(python("-c", script).stdout.rpartition("|")[2].split())
    assert loaded & {f"traindx.commands.{name}" for name in _verbs.verb_names()} == set()


def test_version(traindx_: Any) -> None:
    assert traindx_("--version").out == f"traindx {traindx.__version__}\n"


@pytest.mark.parametrize("name", _verbs.verb_names())
def test_every_verb_explains_itself(name: str, traindx_: Any) -> None:
    told = traindx_(name, "--help")
    assert told.code == 0
    assert f"usage: traindx {name}" in told.out
    assert all(len(line) <= 80 for line in told.out.splitlines())


def test_help_may_be_a_verb(traindx_: Any) -> None:
    assert traindx_("help").out == traindx_("--help").out == traindx_().out
    assert traindx_("help", "diagnose").out == traindx_("diagnose", "--help").out


def test_a_mistyped_verb_gets_the_nearest(traindx_: Any) -> None:
    told = traindx_("diagnos")
    assert (told.code, told.out) == (2, "")
    assert "did you mean 'diagnose'?" in one_line(told.err)


def test_a_word_like_no_verb_gets_the_list(traindx_: Any) -> None:
    told = traindx_("xyzzy")
    assert told.code == 2
    assert "diagnose" in one_line(told.err)


def test_a_path_in_place_of_the_verb_is_understood(traindx_: Any, tmp_path: Path) -> None:
    (tmp_path / "train.py").touch()
    (tmp_path / "train.csv").touch()
    assert "did you mean traindx run" in one_line(traindx_(tmp_path / "train.py").err)
    assert "did you mean traindx diagnose" in one_line(traindx_(tmp_path / "train.csv").err)


@pytest.mark.parametrize(
    "words", [["--formt", "json"], ["--format", "pdf"], ["--fail-on", "always"], ["--form", "json"]]
)
def test_a_wrong_option_is_one_line_and_exit_2(words: list[str], traindx_: Any) -> None:
    told = traindx_("diagnose", *words)
    assert (told.code, told.out) == (2, "")
    assert one_line(told.err).startswith("traindx diagnose: ")


@pytest.mark.parametrize("error", [ReaderError, RecordError, CommandError])
def test_errors_meant_for_the_user_are_one_line(error: type[Exception], verb: Any, traindx_: Any) -> None:
    verb(error("this file\nis broken"))
    told = traindx_("act")
    assert told.code == 2
    assert one_line(told.err) == "traindx act: this file is broken"


def test_a_bug_keeps_its_traceback(verb: Any, traindx_: Any) -> None:
    verb(ZeroDivisionError("a bug"))
    with pytest.raises(ZeroDivisionError):
        traindx_("act")


def test_the_verb_decides_the_exit_code(verb: Any, traindx_: Any) -> None:
    verb(7)
    assert traindx_("act").code == 7


def test_options_may_stand_between_arguments(verb: Any, traindx_: Any) -> None:
    verb(0)
    assert traindx_("act", "a", "--loud", "b").code == 0


def test_an_interrupt_is_quiet(verb: Any, traindx_: Any) -> None:
    verb(KeyboardInterrupt())
    told = traindx_("act")
    assert (told.code, told.err) == (130, "")


def test_a_script_that_closed_stdout_is_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    closed = io.StringIO()
    closed.close()
    monkeypatch.setattr("traindx.__main__._dispatch", lambda words: 3)
    monkeypatch.setattr(sys, "stdout", closed)
    assert main(["act"]) == 3


def test_a_reader_who_leaves_is_no_error() -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "traindx", "--help"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout
    assert process.stderr
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait() == 141


def test_help_survives_a_stream_without_unicode() -> None:
    told = python("-m", "traindx", "diagnose", "--help", env={**os.environ, "PYTHONIOENCODING": "ascii"})
    assert (told.returncode, told.stderr) == (0, "")


def test_a_missing_torch_is_one_line(verb: Callable[[BaseException | int], None], traindx_: Any) -> None:
    verb(ModuleNotFoundError("No module named 'torch'", name="torch"))
    told = traindx_("act")
    assert told.code == 2 and one_line(told.err).endswith("pip install torch")


def test_another_missing_module_is_a_bug(verb: Callable[[BaseException | int], None], traindx_: Any) -> None:
    verb(ModuleNotFoundError("No module named 'torchy'", name="torchy"))
    with pytest.raises(ModuleNotFoundError):
        traindx_("act")


@pytest.mark.parametrize("name", ["run", "check", "lr", "treat"])
def test_a_script_is_asked_for_and_its_arguments_are_not(name: str, traindx_: Any) -> None:
    told = traindx_(name)
    assert told.code == 2 and "required" in told.err and "args" not in told.err


def test_a_letter_that_is_no_option_names_the_word(traindx_: Any) -> None:
    assert "did you mean --out?" in one_line(traindx_("run", "-o", "x", "train.py").err)


@pytest.mark.parametrize("words", [("check", "--seconds", "nan"), ("lr", "--seconds", "inf"), ("lr", "--high", "nan")])
def test_numbers_that_are_none_are_refused_before_anything_runs(words: tuple[str, ...], traindx_: Any) -> None:
    told = traindx_(*words, "train.py")
    assert told.code == 2 and "positive" in one_line(told.err)
