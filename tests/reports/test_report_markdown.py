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
    wanted = ["Symptom", "Questions and findings", "Root cause", "Fix", "What NOT to do", "Reference"]
    assert [title for title in headings(render(sick(), "markdown")) if title in wanted] == wanted


def test_the_root_cause_names_category_issue_and_evidence() -> None:
    page = render(sick(), "markdown")
    section = page[page.index("## Root cause") : page.index("## Fix")]
    assert "Category: learning-rate" in section
    assert "**The learning rate is too high** (`lr-too-high`), 87 %" in section
    assert section.count("- Evidence: ") == 3


def test_a_healthy_run_has_no_root_cause_and_no_fix() -> None:
    assert {"Root cause", "Fix"}.isdisjoint(headings(render(healthy(), "markdown")))


@given(diagnoses)
@settings(max_examples=40, deadline=None)
def test_no_text_can_break_the_structure(diagnosis: Diagnosis) -> None:
    plain = replace(diagnosis, hypotheses=[replace(h, fix=None) for h in diagnosis.hypotheses], next_tests=[])
    page = render(plain, "markdown")
    allowed = {
        "Symptom", "Questions and findings", "Root cause", "Verify", "What NOT to do", "Reference",
        "Alternatives", "Possible causes", "Advice", "How the input was read", "Do now",
    }  # fmt: skip
    assert set(headings(page)) <= allowed
    assert "```" not in re.sub(r"`[^`]+`|\\`", "", page)
    for row in page.splitlines():
        if row.startswith("| "):
            assert len(re.findall(r"(?<!\\)\|", row)) == 4, row


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
