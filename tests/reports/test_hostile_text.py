"""Names and messages come from other people's files: in a page they are text, on a terminal they are printable."""

from __future__ import annotations

import json
import re
import shutil
import sqlite3
import sys
import xml.etree.ElementTree as ElementTree
from contextlib import closing
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parents[2]))

from benchmarks.safety.records import make_record

from traindx.__main__ import main
from traindx.wording import clean, clean_page, markup

MARK = "hostile"
TEXT = f"\"'><script>{MARK}</script><b {MARK}=1>&\x1b[2J\x07$\\frac"
TAGS = {
    "html", "head", "meta", "title", "style", "body", "h1", "h2", "section", "p", "ul", "li", "figure", "figcaption",
    "svg", "g", "path", "text", "polyline", "circle", "table", "thead", "tbody", "tr", "th", "td", "small", "span",
    "div", "input", "script", "img",
}  # fmt: skip
OF_THE_PAGE = TAGS | {
    "a", "header", "main", "footer", "noscript", "h3", "b", "code", "pre", "ol", "details", "summary", "ins", "del",
}  # fmt: skip


class Strict(HTMLParser):
    """Notes every tag and attribute that the renderer cannot have meant."""

    def __init__(self, tags: set[str]) -> None:
        super().__init__()
        self.tags = tags
        self.odd: list[str] = []
        self.scripts = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.scripts += tag == "script"
        if tag not in self.tags or any(
            MARK in name or name.startswith("on") or (name == "src" and tag == "script") for name, _ in attrs
        ):
            self.odd.append(f"{tag} {attrs}")


def strictly(page: str, tags: set[str] = TAGS) -> Strict:
    parser = Strict(tags)
    parser.feed(page)
    return parser


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_record(tmp_path_factory.mktemp("base"))


def poisoned(value: Any) -> Any:
    """Every text and every name inside, hostile."""
    if isinstance(value, dict):
        return {key: poisoned(part) for key, part in value.items()}
    if isinstance(value, list):
        return [poisoned(part) for part in value]
    return TEXT + value if isinstance(value, str) else value


def hostile(base: Path, path: Path, *, every_text: bool) -> Path:
    """A record with hostile text in each field; of facts that name kinds, only where kinds are not needed."""
    shutil.copyfile(base, path)
    with closing(sqlite3.connect(path)) as db, db:
        for key, value in db.execute("SELECT key, value FROM facts").fetchall():
            if every_text or key in ("script", "not_visible", "observers_off", "error", "schedulers"):
                db.execute("UPDATE facts SET value = ? WHERE key = ?", (json.dumps(poisoned(json.loads(value))), key))
        log = {
            "step_unit": TEXT,
            "config": {TEXT: TEXT + path.name[0]},
            "notes": [TEXT],
            "columns": {"loss/train": TEXT},
        }
        error = {"type": TEXT, "message": TEXT, "site": {"file": TEXT, "line": 1, "text": TEXT, "function": TEXT}}
        for key, fact in {"log": log, "error": error, "exit": "exception", "not_visible": [TEXT]}.items():
            db.execute("INSERT OR REPLACE INTO facts VALUES (?, ?)", (key, json.dumps(fact)))
        for number, names in db.execute("SELECT id, names FROM layer_sets").fetchall():
            db.execute(
                "UPDATE layer_sets SET names = ? WHERE id = ?", (json.dumps(poisoned(json.loads(names))), number)
            )
        db.execute(
            "INSERT INTO events (step, kind, time, data) VALUES (3, ?, 0.0, ?)", (TEXT, json.dumps({"to": TEXT}))
        )
        db.execute("INSERT INTO series VALUES (900, ?)", (f"raw/{TEXT}",))
        db.execute('INSERT INTO points SELECT 900, chunk, steps, "values" FROM points WHERE series = 0')
    return path


@pytest.fixture(params=[True, False], ids=["every text", "names only"])
def inputs(request, base, tmp_path) -> list[str]:
    folder = tmp_path / "<b hostile=1>"
    folder.mkdir()
    return [str(hostile(base, folder / f"{name}.tdx", every_text=request.param)) for name in ("a<i>", "b&amp;\x1b[31m")]


def test_pages_of_comparisons_hold_no_foreign_markup(inputs, tmp_path):
    page = tmp_path / "page.html"
    assert main(["compare", *inputs, "-o", str(page)]) == 0
    found = strictly(page.read_text())
    assert found.odd == [] and found.scripts == 1
    assert MARK in page.read_text()


def test_pages_of_charts_hold_no_foreign_markup(inputs, tmp_path):
    page, picture = tmp_path / "page.html", tmp_path / "picture.svg"
    assert main(["plot", *inputs, "-o", str(page)]) == 0
    found = strictly(page.read_text(), OF_THE_PAGE)
    assert found.odd == [] and found.scripts == 3, "its data, its library and its own script"
    assert main(["plot", inputs[0], "-o", str(picture)]) == 0
    assert not [e.tag for e in ElementTree.parse(picture).iter() if "script" in str(e.tag)]


@pytest.mark.parametrize("verb", ["diagnose", "compare"])
def test_terminals_get_no_control_sequences(inputs, verb, capsys):
    main([verb, *inputs])
    shown = capsys.readouterr()
    assert MARK in shown.out
    assert re.sub(r"[ -~\n\u00a0-\uffff]", "", shown.out + shown.err) == ""


@pytest.mark.parametrize(
    "words",
    [
        ["diagnose", "\x1b[2J\nnone.tdx"],
        ["\x1b[2Jverb"],
        ["diagnose", "--\x1b[2J"],
        ["compare", "--metric", "\x1b[2J", "\x1b[2Jnone.csv"],
        ["plot", "none.csv", "-o", "\x1b[2Jx.png"],
        ["redact", "\x1b[2Jnone", "-o", "x.tdx"],
    ],
)
def test_error_messages_are_one_printable_line(words, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(words) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and said[:-1].isprintable()


def test_columns_of_a_log_are_text(tmp_path):
    column = TEXT.strip("\"'")  # quotes around a name belong to the format
    for name in ("a", "b"):
        rows = "\n".join(f"{i},{1 / (i + 1) + (name == 'b')},{i}" for i in range(60))
        (tmp_path / f"{name}.csv").write_text(f"step,loss,{column}\n{rows}\n")
    page = tmp_path / "page.html"
    assert main(["compare", str(tmp_path / "a.csv"), str(tmp_path / "b.csv"), "--metric", column, "-o", str(page)]) == 0
    found = strictly(page.read_text())
    assert found.odd == [] and found.scripts == 1 and MARK in page.read_text()


def test_functions():
    assert markup('<a href="x">\x1b[0m\'') == "&lt;a href=&quot;x&quot;&gt; [0m&#x27;"
    assert clean("a\x1b[31mb\u202ec\td\ne") == "a [31mb c   d\ne"
    assert clean_page("\x1b[1;31mSICK\x1b[0m \x1b]0;x\x07") == "\x1b[1;31mSICK\x1b[0m  ]0;x "
