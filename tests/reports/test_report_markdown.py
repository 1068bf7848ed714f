"""Markdown keeps every word and shows text as it was meant."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import given, settings
from report_samples import healthy, sick
from report_strategies import diagnoses

from traindx.causes import Fix, Site
from traindx.diagnosis import Diagnosis
from traindx.reports import render
from traindx.reports.markdown import cell, prose


def headings(page: str) -> list[str]:
    return re.findall(r"^## (.*)$", page, re.MULTILINE)


def test_a_sick_run_has_the_sections_in_order() -> None:
    wanted = ["Do now", "Fix", "Verify", "Avoid", "Cause", "Evidence", "Alternatives", "Next"]
    assert [title for title in headings(render(sick(), "markdown")) if title in wanted] == wanted


def test_what_decides_nothing_is_counted_and_shown_on_request() -> None:
    short, long = render(sick(), "markdown"), render(sick(), "markdown", why=True)
    assert {"Asked", "Reference"}.isdisjoint(headings(short)) and "2 questions" in short
    assert {"Asked", "Reference", "Why"} <= set(headings(long)) and "2 questions" not in long


def test_the_cause_is_named_with_its_id_its_chance_and_its_evidence() -> None:
    page = render(sick(), "markdown")
    section = page[page.index("## Cause") : page.index("## Against")]
    assert "**87 %** The learning rate is too high (lr-too-high), suspected from its effects" in section
    assert section.count("\n- ") == 1 + len(sick().leading.evidence)


def test_a_healthy_run_has_no_cause_and_no_fix() -> None:
    assert {"Cause", "Fix"}.isdisjoint(headings(render(healthy(), "markdown")))


@given(diagnoses)
@settings(max_examples=40, deadline=None)
def test_no_text_can_break_the_structure(diagnosis: Diagnosis) -> None:
    plain = replace(diagnosis, hypotheses=[replace(h, fix=None) for h in diagnosis.hypotheses], next_tests=[])
    page = render(plain, "markdown")
    allowed = {
        "Do now", "Checked", "Not measured", "Verify", "Avoid", "Cause", "Evidence", "Against", "Follows", "Also",
        "Alternatives", "Possible", "Signs", "Advice", "Read as",
    }  # fmt: skip
    assert set(headings(page)) <= allowed
    assert "```" not in re.sub(r"`[^`]+`|\\`", "", page)


def test_code_that_holds_a_fence_stays_inside_its_own() -> None:
    fixed = replace(sick().leading, fix=Fix("Write.", "'''\n```\n'''"))
    page = render(replace(sick(), hypotheses=[fixed]), "markdown")
    assert "````python\n'''\n```\n'''\n````" in page


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("update_ratio is 2*3", r"update_ratio is 2\*3"),
        ("call `x * y` <now>", r"call `x * y` \<now>"),
        ("in __init__", r"in \_\_init\_\_"),
        ("1. first", r"1\. first"),
        ("# no heading", r"\# no heading"),
        ("a ` alone", r"a \` alone"),
        ("in [0, 1]", "in [0, 1]"),
        ("a [link](x)", r"a \[link](x)"),
        ("two\nlines", "two lines"),
    ],
)
def test_text_is_escaped_where_markdown_would_act_on_it(text: str, shown: str) -> None:
    assert prose(text) == shown


def test_a_bar_does_not_split_a_cell() -> None:
    assert cell("`a|b` | c") == r"`a\|b` \| c"


def test_a_fix_is_a_diff_only_where_it_edits_the_file() -> None:
    assert "```diff\n@@ -31 +31 @@\n-optimizer" in render(sick(), "markdown")
    pattern = replace(sick().leading, fix=Fix("Do it.", "model.train()", Site("train.py", 3, "for x in data:")))
    assert "```python\nmodel.train()\n```" in render(replace(sick(), hypotheses=[pattern]), "markdown")
