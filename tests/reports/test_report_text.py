"""The text report fits a terminal, says what matters, and is calm about a healthy run."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from report_samples import EVERY, curve, healthy, inconclusive, out_of_scope, sick
from report_strategies import diagnoses

from traindx.causes import Fix
from traindx.diagnosis import Advice, Contribution, Diagnosis
from traindx.reports import Look, render, render_all
from traindx.signs import Sign

LONG = "a long sentence about the seventh layer of the encoder " * 12


def columns(line: str) -> int:
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 0 if unicodedata.combining(c) else 1 for c in line)


def without_code(diagnosis: Diagnosis) -> Diagnosis:
    """Code, places and commands are never folded, so the width says nothing about them."""
    plain = [replace(h, fix=None) for h in diagnosis.hypotheses]
    return replace(diagnosis, hypotheses=plain, next_tests=[])


@given(diagnoses)
@settings(max_examples=80, deadline=None)
def test_no_line_is_wider_than_asked(diagnosis: Diagnosis) -> None:
    for look in ({}, {"why": True}, {"ascii_only": True}):
        for line in render(without_code(diagnosis), "text", width=80, **look).splitlines():
            assert columns(line) <= 80, line


@given(diagnoses)
@settings(max_examples=40, deadline=None)
def test_nothing_reaches_the_terminal_that_it_would_obey(diagnosis: Diagnosis) -> None:
    page = render(diagnosis, "text")
    assert all(char == "\n" or char.isprintable() for char in page)
    assert render(diagnosis, "text", ascii_only=True).isascii()


def test_an_ordinary_sick_run_takes_one_screen() -> None:
    assert len(render(sick(), "text").splitlines()) <= 45


def test_an_answer_with_much_to_say_takes_one_screen_and_says_what_it_leaves_out() -> None:
    signs = [Sign(f"s{i}", 9.0, 1.0, f"{LONG} {i}", severity="warning") for i in range(4)]
    full = replace(
        sick(),
        symptoms=[*sick().symptoms, *signs],
        advice=[Advice("no-momentum", LONG), Advice("no-warmup", LONG)],
        looks=[LONG + "once", LONG + "twice"],
    )
    page = render(full, "text")
    assert len(page.splitlines()) <= 50
    assert len(render(full, "text", why=True).splitlines()) > 70
    left = " ".join(page.partition("MORE ")[2].partition("NEXT ")[0].split())
    assert {"4 signs", "2 suggestions", "2 looks"} <= set(left.split(": shown")[0].split(", "))
    # What decides stays: the finding, the fix, its cause, and the next command.
    for words in ("SICK", "DO NOW", "FIX", "train.py:31", "CAUSE", "EVIDENCE", "NEXT"):
        assert words in page


def test_a_sick_run_is_told_from_verdict_to_next_command() -> None:
    page = render(sick(), "text")
    told = [
        "SICK",
        "The learning rate is too high: the loss fell until step 120",
        "DO NOW",
        "resume from the checkpoint before step 120",
        "^ from step 120",
        "Lower the learning rate from 0.5 to 0.05.",
        "train.py:31",
        "-optimizer = torch.optim.SGD(model.parameters(), lr=0.5)\n",
        "+optimizer = torch.optim.SGD(model.parameters(), lr=0.05)\n",
        "VERIFY",
        "Do not add gradient clipping first",
        "87 %",
        "lr-too-high",
        "+ Each update changed the weights by 31 %",
        "- The rate is within the usual range",
        "exploding gradients in fc1",
        "ALTERNATIVES",
        "no-warmup",
        "no-momentum",
        "MORE",
        "traindx treat train.py",
    ]
    places = [page.find(words) for words in told]
    assert -1 not in places, told[places.index(-1)]
    assert places == sorted(places)


def test_a_healthy_run_gets_a_short_answer() -> None:
    page = render(healthy(), "text")
    assert page.startswith("HEALTHY")
    assert "- loss finite\n" in page and "- validation does not rise\n" in page
    assert "CAUSE" not in page
    assert "FIX" not in page
    assert len(page.splitlines()) <= 20


def test_an_open_case_lists_its_candidates_and_how_to_decide() -> None:
    page = render(inconclusive(), "text")
    assert re.search(r"30 % +The learning rate is too low \(lr-too-low\)", page)
    assert re.search(r"25 % +The model is too small", page)
    assert page.endswith("a record shows gradients\n              traindx run train.py")


def test_out_of_scope_says_where_to_look_and_guesses_nothing() -> None:
    page = " ".join(render(out_of_scope(), "text").split())
    assert "look at batch" in page
    assert "None of the known causes" not in page


def test_nan_is_drawn_and_explained() -> None:
    page = render(sick(), "text")
    assert "××××" in page
    assert "× = NaN or Inf" in page
    assert "×" not in render(healthy(), "text")


def test_a_loss_that_is_nan_from_the_start_can_be_drawn() -> None:
    page = render(replace(sick(), loss=curve([np.nan] * 5), onset=0), "text")
    assert "|××××" in page


def test_the_curve_falls_where_the_loss_falls() -> None:
    falling = render(replace(healthy(), loss=curve(np.linspace(1, 0, 60)), validation=None), "text", ascii_only=True)
    top = next(line for line in falling.splitlines() if line.startswith("LOSS"))
    assert top.rstrip().endswith((".", ":", "#"))
    bars = top.partition("|")[2]
    assert 18 < len(bars) < 40, "the upper half of a straight fall ends in the middle"


@pytest.mark.parametrize("values", [np.full(50, 25.6), np.linspace(25.6, 25.6001, 50)])
def test_a_loss_that_stands_still_is_drawn_flat(values: np.ndarray) -> None:
    page = render(replace(healthy(), loss=curve(values), validation=None), "text")
    assert "|" + "▁" * 50 in page


def test_a_wide_range_is_drawn_on_a_log_scale() -> None:
    page = render(replace(healthy(), loss=curve(np.logspace(0, -6, 64)), validation=None), "text", ascii_only=True)
    top = next(line for line in page.splitlines() if line.startswith("LOSS")).partition("|")[2]
    assert "log scale" in page
    assert 20 < len(top) < 40, "a straight line in the logarithm leaves the upper half in the middle"


def test_losses_near_the_largest_number_can_be_drawn() -> None:
    page = render(replace(healthy(), loss=curve([1.7e308, -1.7e308, 1.7e308] * 30), validation=None), "text")
    assert "1.7e+308" in page


def test_a_stream_without_unicode_gets_the_same_lines() -> None:
    assert len(render(sick(), "text", ascii_only=True).splitlines()) == len(render(sick(), "text").splitlines())


def test_long_lists_are_shortened_and_sentences_never() -> None:
    wordy = replace(sick().leading, evidence=[f"{LONG} {i}" for i in range(9)])
    diagnosis = replace(sick(), hypotheses=[wordy])
    assert "…" not in render(diagnosis, "text")
    assert re.search(r"MORE .*\b[5-8]\s+observations", render(diagnosis, "text"), re.DOTALL)
    assert render(diagnosis, "text", why=True).count("+ a long sentence") == 9


def test_a_suspicion_is_called_one_and_told_in_full() -> None:
    page = " ".join(render(replace(sick(), verdict="inconclusive", suspected=True), "text").split())
    assert page.startswith("SUSPECTED") and "suspected from its effects" in page and "FIX" in page


def test_code_is_never_folded_or_shortened() -> None:
    code = "\n".join(f"    line_{i} = {'x' * 100}" for i in range(20))
    fixed = replace(sick().leading, fix=Fix("Rewrite.", code))
    page = render(replace(sick(), hypotheses=[fixed]), "text")
    assert all(line.rstrip() in page for line in code.splitlines())


def test_no_fix_and_no_hypotheses_are_survived() -> None:
    assert "FIX" not in render(replace(sick(), hypotheses=[replace(sick().leading, fix=None)]), "text")
    assert render(replace(sick(), hypotheses=[]), "text").startswith("SICK")


def test_why_shows_terms_that_add_up_to_the_score() -> None:
    page = render(sick(), "text", why=True)
    terms = page[page.index("lr-too-high, 87 %") : page.index("no-warmup, 8 %")].splitlines()[1:]
    numbers = {line.split()[0]: float(line.split()[-1]) for line in terms if line.strip()}
    score = numbers.pop("score")
    assert set(numbers) == {"prior", "update-ratio-high", "loss-diverged", "lr-warmed-up"}
    assert score == pytest.approx(sum(numbers.values()))
    assert "0.50 x  -0.40   -0.20" in page


def test_why_puts_the_heaviest_sign_first() -> None:
    moves = [Contribution("light", 1.0, 0.1, 0.1), Contribution("heavy", 1.0, -3.0, -3.0)]
    page = render(replace(sick(), hypotheses=[replace(sick().leading, contributions=moves)]), "text", why=True)
    assert page.index("heavy") < page.index("light")


def test_colour_changes_nothing_but_colour() -> None:
    coloured = render(sick(), "text", colour=True)
    assert "\x1b[1;31mSICK" in coloured
    assert re.sub(r"\x1b\[[\d;]*m", "", coloured) == render(sick(), "text")


@pytest.mark.parametrize("width", [60, 80, 120, 200])
@pytest.mark.parametrize("count", [2, 5])
def test_several_runs_have_a_table_that_cuts_nothing(count: int, width: int) -> None:
    long = replace(sick(), source="runs/" + "a_long_folder_name/" * 6 + "metrics.csv")
    several = [*(make() for make in EVERY.values()), long][-count:]
    page = render_all(several, "text", width=width)
    if count > 3:
        table = page
    else:  # so few are reported in full above their table
        table = page.rpartition("-" * width)[2].strip("\n")
    lines = table.partition("NEXT")[0].splitlines()
    assert table.splitlines()[-1].strip().startswith("traindx compare ") and long.source in table
    heading = next(line for line in lines if line.startswith("VERDICT"))
    assert lines[0].startswith("RUNS") and heading.split() == ["VERDICT", "RUN", "CONDITION", "SINCE"]
    assert all(columns(line) <= width for line in lines)
    words = ("SICK", "HEALTHY", "UNCLEAR", "OUT OF SCOPE")
    assert len([line for line in lines if line.startswith(words)]) == count
    # Nothing is cut: the pieces of a folded name make up the whole.
    column = slice(heading.index("RUN"), heading.index("CONDITION"))
    assert long.source in "".join(line[column].strip() for line in lines[lines.index(heading) :])


def test_a_crowd_of_runs_is_counted_by_condition_and_told_in_numbers() -> None:
    page = render_all([replace(sick(), source=f"runs/{i}/log.csv") for i in range(25)], "text")
    few = render_all([replace(sick(), source=f"runs/{i}/log.csv") for i in range(5)], "text")
    counted = " ".join(page.partition("CONDITIONS")[2].partition("VERDICT")[0].split())
    assert counted == f"25 {sick().leading.title}"
    told = sick().leading.fix.summary.rstrip(".")
    assert told in " ".join(few.split()) and told not in " ".join(page.split())
    assert sick().leading.evidence[0][:30] in " ".join(page.split())


@pytest.mark.parametrize("make", EVERY.values(), ids=EVERY)
def test_the_last_line_is_a_command(make: Callable[[], Diagnosis]) -> None:
    diagnosis = make()
    if diagnosis.verdict == "healthy":
        diagnosis = replace(diagnosis, source="my runs/a.tdx", next_tests=[])
    last = render(diagnosis, "text").splitlines()[-1].strip()
    if diagnosis.next_tests:
        assert last == diagnosis.next_tests[0].command
    elif diagnosis.verdict == "healthy":
        assert last == "traindx report 'my runs/a.tdx'"


def test_a_seen_cause_leads_to_its_page() -> None:
    last = render(replace(sick(), next_tests=[]), "text").splitlines()[-1].strip()
    assert last == "traindx explain lr-too-high"


def test_wide_terminals_are_used_and_prose_stays_readable() -> None:
    words = replace(sick(), summary=LONG)
    narrow, wide, widest = (render(words, "text", width=width).splitlines() for width in (60, 120, 200))
    assert max(map(columns, (line for line in narrow if "optimizer" not in line))) <= 60
    assert len(wide) < len(narrow)
    prose = [line for line in widest if "seventh layer" in line]
    assert 100 < max(map(columns, prose)) <= 120
    bars = max(columns(line) for line in widest if "|" in line)
    assert bars > 120 or len(sick().loss or ()) < 100


def test_severity_has_a_colour() -> None:
    page = render(inconclusive(), "text", colour=True)
    severe = [sign for sign in inconclusive().symptoms if sign.severity == "warning"]
    assert not severe or "\x1b[1;33m- \x1b[0m" in page


def test_printing_a_diagnosis_prints_the_report() -> None:
    assert str(sick()) == render(sick(), "text", width=Look().width)


def test_a_percentage_is_not_torn_apart() -> None:
    from traindx.reports.layout import fold

    assert fold("the loss fell by 31 % over half", 20) == ["the loss fell by", "31 % over half"]
    assert fold("accuracy 98 %, then 79 %.", 12) == ["accuracy", "98 %, then", "79 %."]
