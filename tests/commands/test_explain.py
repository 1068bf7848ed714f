"""`traindx explain`: the list, a cause, a page, and a name that nobody knows."""

from __future__ import annotations

import argparse

import pytest

from traindx.causes import all_causes, page_names
from traindx.commands import explain
from traindx.commands._markdown import plain
from traindx.commands._say import CommandError
from traindx.conditions import all_conditions
from traindx.diagnosis import how_often


def explained(capsys, *words: str) -> str:
    parser = argparse.ArgumentParser()
    explain.configure(parser)
    assert explain.run(parser.parse_args(words)) == 0
    return capsys.readouterr().out


def test_list_holds_every_cause_and_page_within_80_columns(capsys):
    text = explained(capsys)
    for name in (*all_conditions(), *all_causes(), *page_names()):
        assert any(line.split()[:1] == [name] for line in text.splitlines())
    assert max(map(len, text.splitlines())) <= 80


def test_a_cause_is_shown_as_text_without_markup(capsys):
    text = explained(capsys, "Double_Softmax")
    assert "double-softmax (family loss)" in text
    assert "```" not in text and "## " not in text and "`" not in text
    assert "\n    loss = torch.nn.functional.cross_entropy(logits, y)\n" in text


@pytest.mark.parametrize("name", [*all_conditions(), *all_causes(), *page_names()])
def test_prose_fits_80_columns(capsys, name):
    text = explained(capsys, name)
    assert [line for line in text.splitlines() if len(line) > 80 and not line.startswith("    ")] == []


def test_markdown_is_the_page_itself(capsys):
    text = explained(capsys, "double-softmax", "--format", "markdown")
    assert all_causes()["double-softmax"].page.strip() in text


def test_words_may_be_separate(capsys):
    assert explained(capsys, "loss", "curves").startswith("Reading loss curves\n")


def test_words_may_be_quoted_together(capsys):
    assert explained(capsys, "loss curves").startswith("Reading loss curves\n")


def test_a_cause_is_found_by_its_title_and_in_either_spelling(capsys):
    title = all_causes()["double-softmax"].title
    assert explained(capsys, title.upper()).startswith(title)
    assert explained(capsys, "generalization").startswith("Generalisation")


def test_no_cause_or_condition_hides_a_page():
    assert not {*all_causes(), *all_conditions()} & set(page_names())


@pytest.mark.parametrize("name", all_conditions())
def test_a_condition_has_definition_remedies_and_what_may_lie_behind_it(capsys, name):
    unit = all_conditions()[name]
    text = explained(capsys, name, "--format", "markdown")
    headings = [line for line in text.splitlines() if line.startswith("## ")]
    assert text.startswith(f"# {unit.title}\n") and unit.means in text
    wanted = ["## Definition", "## Remedies", "## What may lie behind it"]
    assert [heading for heading in headings if heading in wanted] == wanted
    for cause in all_causes():
        found = how_often(name, cause)
        if found and found[0] and cause != unit.cause:
            assert f"`{cause}`" in text and f"Of {found[1]} public cases" in text


def test_a_condition_and_a_cause_of_one_name_share_one_page(capsys):
    shared = set(all_conditions()) & set(all_causes())
    assert "overfitting" in shared
    for name in shared:
        text = explained(capsys, name, "--format", "markdown")
        assert text.count("\n# ") == 0 and text.startswith("# ")
        assert "## As a cause" in text and "### What happens" in text


def test_a_word_of_a_title_leads_to_its_cause():
    with pytest.raises(CommandError, match="unstable-math"):
        explain.run(argparse.Namespace(name=["NaN"], format="text"))


def test_an_unknown_name_gets_one_line_with_the_nearest():
    with pytest.raises(CommandError) as error:
        explain.run(argparse.Namespace(name=["duble-softmax"], format="text"))
    assert "did you mean double-softmax" in str(error.value) and "\n" not in str(error.value)


def test_a_name_unlike_any_other_is_told_where_to_look():
    with pytest.raises(CommandError, match="lists everything"):
        explain.run(argparse.Namespace(name=["zzzzqqqq"], format="text"))


def test_tables_are_folded_and_lists_hang():
    page = "| a | b |\n|---|---|\n| x | " + "word " * 30 + "|\n\n- " + "item " * 30 + "\n- second\n"
    lines = plain(page, 40).splitlines()
    assert max(map(len, lines)) <= 40
    assert lines[1].startswith("-  ---") and lines[2].startswith("x  word")
    assert sum(line.startswith(("- item", "- second")) for line in lines) == 2
    assert any(line.startswith("  item") for line in lines)


def test_a_long_comment_moves_above_its_line_of_code():
    page = "```python\nif a:\n    x = 1  # " + "why " * 20 + "\n```\n"
    lines = plain(page, 60).splitlines()
    assert lines[0] == "    if a:" and lines[1].startswith("        # why") and lines[-1] == "        x = 1"
    assert max(map(len, lines)) <= 60


def test_a_bar_at_the_start_of_a_prose_line_is_no_table():
    assert plain("the size of\n|w| is small\n", 80) == "the size of |w| is small\n"
