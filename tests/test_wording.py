"""Numbers as people read them: one rule for every room."""

from __future__ import annotations

import math
import re
from pathlib import Path

import pytest

from traindx.wording import apart, by_experiment, counted, listed, num, percent, plus_minus, probability, round_figure


@pytest.mark.parametrize(
    ("value", "shown"),
    [(0.0, "0"), (-0.0, "0"), (3.0, "3"), (1200.0, "1200"), (1234.56, "1235"), (0.12345, "0.123"), (1e-5, "1e-05"),
     (2.5e7, "2.5e+07"), (math.inf, "inf"), (math.nan, "nan"), (-52.25, "-52.2")],
)  # fmt: skip
def test_numbers(value, shown):
    assert num(value) == shown


def test_more_digits_for_losses():
    assert num(0.123456, 4) == "0.1235" and num(123.456, 4) == "123.5"


@pytest.mark.parametrize(
    ("share", "shown"),
    [(0, "0 %"), (0.004, "0.4 %"), (0.256, "26 %"), (1, "100 %"), (-0.03, "-3 %"), (-0.0, "0 %"), (1e-7, "<0.01 %")],
)
def test_percentages(share, shown):
    assert percent(share) == shown


@pytest.mark.parametrize(("share", "shown"), [(0.05, "±5 %"), (0.0, "±0 %"), (1e-6, "under ±0.01 %")])
def test_spreads(share, shown):
    assert plus_minus(share) == shown


@pytest.mark.parametrize(("share", "shown"), [(0.0, "<1 %"), (0.5, "50 %"), (1.0, ">99 %")])
def test_probabilities_are_never_certain(share, shown):
    assert probability(share) == shown


def test_counts_and_lists():
    assert counted(1, "step") == "1 step" and counted(1200, "step") == "1,200 steps"
    assert listed(["a", "b"]) == "a, b" and listed(list("abcdef"), 2) == "a, b and 4 more"


@pytest.mark.parametrize(
    ("value", "near"), [(0.00123, 0.001), (4.4, 5.0), (180.0, 200.0), (0.0, 0.0), (math.inf, math.inf)]
)
def test_round_figures(value, near):
    assert round_figure(value) == near


@pytest.mark.parametrize("value", [5e-324, 1e-320, 1.7e308])
def test_the_smallest_and_largest_numbers_are_rounded_too(value):
    assert value / 2 <= round_figure(value) <= 2 * value


# Words that engineers do not search for. They search for: fix · alternatives · avoid · out of scope · NaN/Inf ·
# unknown · most common · adversarial · differentiate or backpropagate.
ODD_WORDS = re.compile(
    r"\b(mend(ed|s|ing)?|OR ELSE|BEWARE|ELSEWHERE|commonest|old_rate)\b|leaves the finite|not known here"
    r"|train against each other|loss (is|was) derived"
)


def test_the_words_are_those_of_the_field():
    root = Path(__file__).parents[1]
    texts = [*(root / "src").rglob("*.py"), *(root / "src").rglob("*.md"), *(root / "docs").rglob("*.md")]
    odd = [
        f"{path.relative_to(root)}: {found.group()}"
        for path in [*texts, root / "README.md", root / "CONTRIBUTING.md"]
        for found in ODD_WORDS.finditer(path.read_text(encoding="utf-8"))
    ]
    assert not odd


@pytest.mark.parametrize(
    ("before", "after", "shown"),
    [(2.0, 0.5, ("2", "0.5")), (1.00002, 1.00004, ("1.00002", "1.00004")), (1.0, 1.0, ("1", "1")),
     (math.nan, 0.1, ("not finite", "0.1")), (1.00004, 1.0, ("1.00004", "1"))],
)  # fmt: skip
def test_numbers_that_differ_look_different(before, after, shown):
    assert apart(before, after) == shown


def test_a_doubtful_cause_is_not_called_proven():
    assert "proven" in by_experiment(0.9)
    assert "proven" not in by_experiment(0.42)
