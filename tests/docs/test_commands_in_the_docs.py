"""Every `traindx …` that the README, the documents and the reference pages show is one that traindx takes."""

from __future__ import annotations

import contextlib
import io
import re
import shlex
from pathlib import Path

import pytest

from traindx.causes import all_causes, page_names, read_page
from traindx.commands import _verbs
from traindx.commands._verbs import Parser

ROOT = Path(__file__).parents[2]
PAGES = {
    **{path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8")
       for path in (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))
       if "reference" not in path.parts and "_build" not in path.parts},
    **{name: read_page(name) or "" for name in page_names()},
    **{cause.id: cause.page for cause in all_causes().values()},
}  # fmt: skip
PLACEHOLDERS = ("N", "M", "S")


def commands_in(text: str) -> set[str]:
    """Those in code spans and on lines of their own; comments, redirections and what follows a pipe are cut off."""
    found = re.findall(r"`(traindx [^`]+)`", text)
    blocks = re.findall(r"^```.*?^```", text, re.MULTILINE | re.DOTALL)
    found += [line for block in blocks for line in re.findall(r"^[ $]*(traindx .+)$", block, re.MULTILINE)]
    return {" ".join(re.split(r"\s[#|>&;]|\s2>|…|\.\.\.", command)[0].split()) for command in found}


def complaint(command: str) -> str:
    """What traindx says against the command; nothing where it takes it."""
    words = ["1" if word in PLACEHOLDERS else word for word in shlex.split(command)[1:]]
    verb, rest = (words[0], words[1:]) if words else ("", [])
    if verb in ("", "VERB") or verb.startswith("-") or not re.fullmatch(r"[a-z]+", verb):
        return ""
    if verb not in _verbs.verb_names():
        return f"there is no verb {verb}"
    if not rest:  # a verb alone is only its name
        return ""
    parser = Parser(prog=verb, description=None)
    _verbs.find_verb(verb).configure(parser)
    said = io.StringIO()
    try:
        with contextlib.redirect_stderr(said), contextlib.redirect_stdout(io.StringIO()):
            parser.parse(rest)
    except SystemExit as ended:
        told = said.getvalue() if ended.code else ""
        return "" if "arguments are required" in told else told  # `traindx run --deep` names an option
    return ""


@pytest.mark.parametrize("page", PAGES)
def test_commands_are_taken(page: str) -> None:
    wrong = {command: said for command in commands_in(PAGES[page]) if (said := complaint(command))}
    assert wrong == {}


def test_a_wrong_option_is_noticed() -> None:
    assert complaint("traindx run --no-such-option train.py")
    assert complaint("traindx nonsense train.py")
    assert sum(len(commands_in(text)) for text in PAGES.values()) > 100
