"""Reads the commands and programs that a page of the handbook shows, and runs them as a reader would.

- ```` ```{code-block} python ```` with `:caption: NAME` is a file that the reader saves as NAME;
- ```` ```console ````: lines that begin with `$ ` are commands; what follows is output that they must print, where `…`
  at the end of a line or on a line of its own stands for anything;
- ```` ```python ````: statements to run, one after the other in one session a page.

Other languages (text, diff, yaml) are only shown.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from markdown_it import MarkdownIt

ANYTHING = "…"
SECONDS = 240
CAPTION = re.compile(r"^:caption: (\S+)\n+", re.MULTILINE)


@dataclass(frozen=True)
class Snippet:
    """`kind` is file, command or python. `line` is where it stands in the page."""

    kind: str
    text: str
    line: int
    name: str = ""
    output: tuple[str, ...] = ()


def snippets(markdown: str) -> list[Snippet]:
    found: list[Snippet] = []
    for token in MarkdownIt().parse(markdown):
        if token.type != "fence" or token.map is None:
            continue
        line, language = token.map[0] + 1, token.info.strip()
        caption = CAPTION.match(token.content)
        if language.startswith("{code-block}") and caption:
            found.append(Snippet("file", token.content[caption.end() :], line, caption[1]))
        elif language == "console":
            found += _commands(token.content, line)
        elif language == "python":
            found.append(Snippet("python", token.content, line))
    return found


def _commands(block: str, line: int) -> list[Snippet]:
    found: list[Snippet] = []
    for offset, text in enumerate(block.splitlines(), start=1):
        if text.startswith("$ "):
            found.append(Snippet("command", text[2:], line + offset))
        elif found and text.strip():
            last = found.pop()
            found.append(Snippet("command", last.text, last.line, output=(*last.output, text)))
    return found


def follow(page: list[Snippet], folder: Path) -> list[str]:
    """Do all that the page says, in `folder`; returns what went wrong, with the line of the page."""
    wrong: list[str] = []
    session = ""
    for snippet in page:
        if snippet.kind == "file":
            (folder / snippet.name).write_text(snippet.text)
        elif snippet.kind == "python":
            session += snippet.text + "\n"
    ran_python = False
    for snippet in page:
        if snippet.kind == "command":
            wrong += _run(["bash", "-ec", snippet.text], snippet, folder)
        elif snippet.kind == "python" and not ran_python:
            ran_python = True
            wrong += _run([sys.executable, "-c", session], snippet, folder)
    return wrong


def _run(words: list[str], snippet: Snippet, folder: Path) -> list[str]:
    home = Path(sys.executable).parent
    environment = {**os.environ, "PATH": f"{home}:{os.environ['PATH']}", "COLUMNS": "80", "NO_COLOR": "1"}
    done = subprocess.run(
        words, cwd=folder, env=environment, capture_output=True, text=True, timeout=SECONDS, stdin=subprocess.DEVNULL
    )
    printed = done.stdout + done.stderr
    if done.returncode:
        return [f"line {snippet.line}: {snippet.text.splitlines()[0]} ended with {done.returncode}\n{printed[-2000:]}"]
    lacking = missing_lines(snippet.output, printed.splitlines())
    return [f"line {snippet.line}: {snippet.text} did not print {lacking!r}\n{printed[-3000:]}"] if lacking else []


def missing_lines(expected: tuple[str, ...], printed: list[str]) -> str | None:
    """The first expected line that is not printed, in order; None where all are."""
    rest = iter(printed)
    for line in expected:
        if line.strip() == ANYTHING:
            continue
        start = line.rstrip(ANYTHING) if line.endswith(ANYTHING) else None
        if not any(text.startswith(start) if start is not None else text.rstrip() == line.rstrip() for text in rest):
            return line
    return None
