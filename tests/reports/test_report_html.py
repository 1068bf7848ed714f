"""The compact HTML of a diagnosis: complete, without scripts, and safe with names that are markup."""

from __future__ import annotations

from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pytest
from report_samples import EVERY, healthy, sick

from traindx.record import Series
from traindx.reports import render
from traindx.reports._svg import sketch
from traindx.reports.html import fragment

HOSTILE = '</section><script>alert(1)</script><!--"\u2028'


class Outline(HTMLParser):
    """The elements of a page and its text."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.addresses: list[str] = []
        self.words = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.addresses += [value or "" for name, value in attrs if name in ("src", "href", "action")]

    def handle_data(self, data: str) -> None:
        self.words += data


def outline(text: str) -> Outline:
    parser = Outline()
    parser.feed(text)
    return parser


@pytest.mark.parametrize("kind", EVERY)
def test_it_says_what_the_diagnosis_says(kind: str) -> None:
    diagnosis = EVERY[kind]()
    page = outline(render(diagnosis, "html"))
    assert diagnosis.summary in page.words
    assert all(text in page.words for text in [*diagnosis.do_now, *diagnosis.not_measured, *diagnosis.checked])
    assert "script" not in page.tags
    assert page.addresses == []


def test_the_leading_cause_is_told_in_full() -> None:
    diagnosis = sick()
    page = outline(render(diagnosis, "html"))
    leading = diagnosis.leading
    assert leading.fix is not None
    assert all(text in page.words for text in [leading.title, *leading.evidence, *leading.avoid, leading.fix.summary])


def test_names_are_text() -> None:
    diagnosis = replace(
        sick(), summary=HOSTILE, source=HOSTILE, notes=[f"{HOSTILE} note"], checked=[f"{HOSTILE} check"]
    )
    page = outline(fragment(diagnosis))
    assert "script" not in page.tags
    assert page.tags.count("section") == 1
    assert page.words.count("</section><script>alert(1)</script><!--") == 4


def test_the_sketch_keeps_a_single_spike() -> None:
    values = np.ones(50_000)
    values[31_234] = 7.0
    drawn = sketch(Series("loss/train", np.arange(50_000), values), None, None, "step")
    assert ",0.0 " in drawn  # the top of the picture
    assert len(drawn) < 20_000


def test_a_loss_that_was_never_finite_is_not_drawn() -> None:
    assert sketch(Series("loss/train", np.arange(3), np.full(3, np.nan)), None, None, "step") == ""
    assert "svg" not in outline(fragment(replace(healthy(), loss=None, validation=None))).tags
