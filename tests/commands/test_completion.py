"""Completion in the shells themselves: a test for each, skipped where the shell is not installed."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from traindx.commands._verbs import verb_names
from traindx.commands.completion import SHELLS, all_verbs

Complete = Callable[[str], list[str]]


@pytest.fixture(scope="module")
def scripts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("completion")
    (folder / "run one.tdx").touch()
    (folder / "train.py").touch()
    verbs = all_verbs()
    paths = {shell: folder / f"traindx.{shell}" for shell in SHELLS}
    for shell, path in paths.items():
        path.write_text(SHELLS[shell](verbs), encoding="utf-8")
    return paths


def said(command: list[str], folder: Path) -> list[str]:
    found = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60, check=False)
    assert not found.stderr, found.stderr
    return found.stdout.splitlines()


def with_bash(script: Path, line: str) -> list[str]:
    words = line.split(" ")
    listed = " ".join(f"'{word}'" for word in words)
    program = (
        f"source '{script}'; COMP_WORDS=({listed}); COMP_CWORD={len(words) - 1}; _traindx; "
        '((${#COMPREPLY[@]})) && printf "%s\\n" "${COMPREPLY[@]}" || compgen -f -- "${COMP_WORDS[COMP_CWORD]}"'
    )
    return said(["bash", "--norc", "-c", program], script.parent)


def with_fish(script: Path, line: str) -> list[str]:
    found = said(["fish", "--no-config", "-c", f"source '{script}'; complete -C '{line}'"], script.parent)
    return [entry.split("\t")[0] for entry in found]


def with_zsh(script: Path, line: str) -> list[str]:
    """Types the line and TAB into a zsh in a terminal of its own, and has completion print its matches."""
    program = (
        "zmodload zsh/zpty\n"
        "zpty z zsh -f -i\n"
        "zpty -w z 'PS1= ; LISTMAX=0; autoload -Uz compinit; compinit -u -D; "
        f"source {script}; "
        'zstyle ":completion:*" insert-tab false; '
        # Keep what is offered, then print it between two marks instead of inserting it.
        "compadd() { local -a found; "
        'if [[ ${@[(I)-(O|A|D)]} -ne 0 ]]; then builtin compadd "$@"; return; fi; '
        'builtin compadd -O found "$@"; _matches+=($found); builtin compadd "$@" }; '
        "typeset -ga _matches; "
        "comptest() { _matches=(); _main_complete; compstate[insert]=; compstate[list]=; "
        "print -r -- BEGIN; print -rl -- $_matches; print -r -- END }; "
        'zle -C comptest list-choices comptest; bindkey "^T" comptest; print READY\'\n'
        "zpty -r z all '*READY*READY*'\n"
        f"zpty -w -n z $'{line}\\x14'\n"
        "zpty -r z all '*BEGIN*END*'\n"
        "print -r -- $all\n"
        "zpty -d z\n"
    )
    found = subprocess.run(
        ["zsh", "-f", "-c", program], cwd=script.parent, capture_output=True, text=True, timeout=60, check=False
    )
    text = found.stdout.replace("\r", "")
    return text[text.rindex("BEGIN") + 6 : text.rindex("END")].split()


RUN = {"bash": with_bash, "fish": with_fish, "zsh": with_zsh}


@pytest.fixture(params=list(SHELLS))
def complete(request: pytest.FixtureRequest, scripts: dict[str, Path]) -> Complete:
    if shutil.which(request.param) is None:
        pytest.skip(f"{request.param} is not installed")
    return lambda line: RUN[request.param](scripts[request.param], line)


def test_verbs_are_completed(complete: Complete) -> None:
    assert set(complete("traindx dia")) == {"diagnose"}
    assert set(verb_names()) <= set(complete("traindx "))


def test_options_and_their_values_are_completed(complete: Complete) -> None:
    assert {"--fail-on", "--format"} <= {word.rstrip("=") for word in complete("traindx diagnose --f")}
    assert set(complete("traindx diagnose --fail-on ")) == {"never", "warning", "critical"}


def test_causes_are_completed(complete: Complete) -> None:
    assert set(complete("traindx explain lr-too-")) == {"lr-too-high", "lr-too-low"}
    assert "double-softmax" in complete("traindx demo double")


def test_files_are_completed(complete: Complete) -> None:
    assert any("train.py" in word for word in complete("traindx run tr"))
    assert any("train.py" in word for word in complete("traindx diagnose --baseline tr"))


def test_help_completes_verbs(complete: Complete) -> None:
    assert set(complete("traindx help re")) == {verb for verb in verb_names() if verb.startswith("re")}


@pytest.mark.parametrize("shell", SHELLS)
def test_every_verb_and_option_is_in_the_script(shell: str, scripts: dict[str, Path]) -> None:
    text = scripts[shell].read_text(encoding="utf-8")
    for verb in all_verbs():
        assert verb.name in text
        for option in verb.options:
            assert all(name.lstrip("-") in text for name in option.names)


def test_an_unknown_shell_is_one_clear_line(traindx_: Any) -> None:
    told = traindx_("completion", "tcsh")
    assert told.code == 2 and told.err.count("\n") == 1 and "bash" in told.err


def test_completion_needs_no_torch() -> None:
    """The script may be printed by a shell's start-up file."""
    program = (
        "import sys; from traindx.commands.completion import all_verbs; all_verbs(); sys.exit('torch' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
