"""A layer or a metric may be called anything: in a notebook, on a terminal, in Markdown and in JSON it is text."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from report_samples import sick

from traindx.diagnosis import Diagnosis, diagnose
from traindx.readers import read
from traindx.record import RunBuilder
from traindx.reports import render
from traindx.wording import clean

NAMES = {
    "colours": "\x1b[31mred\x1b[0m",
    "terminal link": "\x1b]8;;http://example.com\x07link",
    "eight-bit controls": "\x00\x9b2J\x7f",
    "bell and backspace": "fc\x07\x08\x08",
    "tag": "<img src=x onerror=alert(1)>",
    "end of style": "</style></section></details><script>alert(1)</script>",
    "entity": "&lt;b&gt; &amp;",
    "comment": "<!-- -->]]>",
    "right to left": "\u202egnp.\u2066exe",
    "long": "layer" * 1000,
    "quotes": "\"'`|`|\\",
    "half a character": "\ud800half\udfff",
    "lines": "\n# Heading\n\n- item\r\n```\n",
    "line ends of Unicode": "\u2028\u2029\x85end",
    "link": "[x](javascript:alert(1)) ![y](http://example.com)",
    "table": "a|b|`c`",
}
SENTENCES = [
    "The update/weight ratio of fc1 is 0.31 (median of 240 steps).",
    "The gradients of fc1 stayed finite until step 198.",
    "Do not freeze fc1 before its inputs were looked at.",
    "The loss falls again and fc1 has living units at step 200.",
]


class Reader(HTMLParser):
    """The tags and attributes of a page, and its text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.structure: list[str] = []
        self.read: list[str] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.structure.append(" ".join([tag, *(name for name, _ in attrs)]))

    def handle_endtag(self, tag: str) -> None:
        self.structure.append(f"/{tag}")

    def handle_comment(self, data: str) -> None:
        self.structure.append("comment")

    def handle_data(self, data: str) -> None:
        if self.structure[-1:] != ["style"]:
            self.read.append(data)


def named(value: Any, name: str) -> Any:
    """The diagnosis of a run whose layer `fc1` has this name, which stands in every sentence."""
    if isinstance(value, str):
        return value.replace("fc1", name)
    if isinstance(value, list):
        return [named(part, name) for part in value]
    if is_dataclass(value) and not isinstance(value, type):
        return replace(value, **{field.name: named(getattr(value, field.name), name) for field in fields(value)})
    return value


def of_layer(name: str) -> Diagnosis:
    made = sick()
    fc1 = "Dead units in layer fc1."
    leading = replace(
        made.leading, evidence=SENTENCES[:1], against=SENTENCES[1:2], avoid=SENTENCES[2:3], verify=SENTENCES[3]
    )
    found = named(replace(made, hypotheses=[leading, *made.hypotheses[1:]], do_now=[fc1], summary=fc1), name)
    assert isinstance(found, Diagnosis)
    return found


@pytest.fixture(params=NAMES.values(), ids=NAMES)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def words(text: str) -> str:
    return re.sub(r"\s+", "", text)


def printable(text: str) -> bool:
    text.encode()  # no half character
    return all(character.isprintable() or character == "\n" for character in text)


def test_in_a_notebook_it_is_text(name: str) -> None:
    page = of_layer(name)._repr_html_()
    reader = Reader(page)
    assert reader.structure == Reader(of_layer("fc1")._repr_html_()).structure and printable(page)
    for sentence in ("Dead units in layer fc1.", *SENTENCES):
        assert words(clean(sentence.replace("fc1", name))) in words("".join(reader.read))


def test_on_a_terminal_it_is_printable(name: str) -> None:
    found = of_layer(name)
    run = RunBuilder(name, "observed").build()
    for text in (str(found), repr(found), render(found, "text", why=True), repr(run), str(run)):
        assert printable(text)
    assert words(clean(name)) in words(str(found))
    assert "\n" not in repr(found) + repr(run)


def test_in_json_it_is_one_escaped_string(name: str) -> None:
    for form in ("json", "jsonl"):
        text = render(of_layer(name), form)
        assert printable(text)
        for row in [text] if form == "json" else text.splitlines():
            json.loads(row, parse_constant=lambda constant: pytest.fail(constant))
    summary = json.loads(render(of_layer(name), "json"))["summary"]
    assert words(clean(summary)) == words(clean(f"Dead units in layer {name}."))


def tokens(page: str) -> Iterator[Any]:
    markdown_it = pytest.importorskip("markdown_it")
    for token in markdown_it.MarkdownIt("gfm-like", {"linkify": False}).parse(page):
        yield token
        yield from token.children or ()


def test_in_markdown_it_is_text(name: str) -> None:
    page, plain = render(of_layer(name), "markdown"), render(of_layer("fc1"), "markdown")
    assert printable(page)

    def kinds(text: str) -> list[str]:
        return [t.type for t in tokens(text) if t.type not in ("text", "code_inline", "softbreak", "text_special")]

    assert kinds(page) == kinds(plain)


def of_metric(name: str, path: Path) -> Diagnosis:
    rows = [{"step": i, "loss": 2.0 + i * i / 50, name: i / 10} for i in range(60)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    (run,) = read(path)
    return diagnose(run)


def test_a_metric_of_a_log_is_text_everywhere(name: str, tmp_path: Path) -> None:
    found, plain = of_metric(name, tmp_path / "log.jsonl"), of_metric("metric", tmp_path / "plain.jsonl")
    assert printable(str(found)) and printable(repr(found)) and printable(render(found, "markdown"))
    assert Reader(found._repr_html_()).structure == Reader(plain._repr_html_()).structure
    json.loads(render(found, "json"))
