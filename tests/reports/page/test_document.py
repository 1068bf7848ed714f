"""The file itself: complete, without any address, and closed to what users' names try."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser

import page_runs
import pytest

from traindx.commands._output import page_of
from traindx.diagnosis import diagnose
from traindx.reports.page import embedded


class Elements(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


@pytest.fixture(scope="module")
def hostile_page() -> str:
    run = page_runs.hostile()
    return page_of([(run, diagnose(run))])


def test_names_cannot_leave_the_data(hostile_page: str) -> None:
    parser = Elements()
    parser.feed(hostile_page)
    assert [tag for tag, _ in parser.found].count("script") == 3
    content = re.search(r'id="content">(.*?)</script>', hostile_page, re.S)
    assert content is not None
    assert page_runs.HOSTILE in json.loads(content[1])["reports"][0]["about"]["source"]


@pytest.mark.parametrize("text", [page_runs.HOSTILE, "</SCRIPT >", "<!--", "]]>", "\u2029", "\x00", "{{style}}"])
def test_any_text_survives_embedding(text: str) -> None:
    made = embedded({"a": text})
    assert not set(made) & set("<>&\u2028\u2029")
    assert json.loads(made)["a"] == text


def test_half_a_character_becomes_a_replacement() -> None:
    assert set(json.loads(embedded({"a": "\ud800"}))["a"]) == {"\ufffd"}


def test_nothing_is_loaded(hostile_page: str) -> None:
    parser = Elements()
    parser.feed(hostile_page)
    addresses = [
        value for _, attrs in parser.found for name, value in attrs.items() if name in ("src", "href", "action", "data")
    ]
    assert all(address and address.startswith("#") for address in addresses)
    policy = next(attrs["content"] for tag, attrs in parser.found if "http-equiv" in attrs)
    assert policy is not None
    assert policy.startswith("default-src 'none'")
    assert "connect-src 'none'" in policy
    assert "unsafe" not in policy


def test_an_ordinary_page_is_small() -> None:
    run = page_runs.sick()
    assert len(page_of([(run, diagnose(run))]).encode()) < 300_000
