"""One answer, one story: headline, advice, chart, lists and JSON agree with each other and with the file."""

from __future__ import annotations

import json
import math
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[2]))

import itertools

from benchmarks.textbook import generate

from traindx.conditions import all_conditions
from traindx.diagnosis import Diagnosis, diagnose
from traindx.readers import principal, read
from traindx.record import Run, RunBuilder
from traindx.reports import render
from traindx.wording import lowered, num4

EVERY_NTH = 3  # of the textbook logs
ONE_SCREEN = 50  # lines


@dataclass(frozen=True)
class Answer:
    run: Run
    found: Diagnosis
    text: str  # in one line, without the wrapping
    lines: int
    said: dict[str, Any]


def answer_to(run: Run) -> Answer:
    found = diagnose(run)
    page = render(found, "text")
    said = json.loads(render(found, "json"))
    return Answer(run, found, " ".join(page.split()), len(page.splitlines()), said)


def own_curves() -> Iterator[Run]:
    """Courses that say several things at once, counted in epochs, steps and rows."""
    x = np.arange(40)
    falling = 0.1 + 2 * np.exp(-x / 8)
    rising = np.where(x < 15, falling, falling[14] + 0.05 * (x - 14))
    broken = np.where(x < 25, falling, np.nan)
    spiky = np.where(x == 20, 9.0, falling)
    for unit in ("epoch", "step", "row"):
        for loss, held in ((falling, rising), (broken, rising), (spiky, falling + 0.1), (falling, falling + 0.02)):
            builder = RunBuilder("log.csv", "csv").fact("log", {"step_unit": unit})
            yield builder.series("loss/train", x + 1, loss).series("loss/validation", x + 1, held).build()


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> list[Answer]:
    folder = tmp_path_factory.mktemp("logs")
    cases = generate(folder, half="open", seed=3)[::EVERY_NTH]
    return [answer_to(run) for run in [*(principal(read(folder / case.files[0])) for case in cases), *own_curves()]]


def texts(value: Any) -> Iterator[str]:
    """Every sentence of the JSON that speaks of the run; what to change and to verify speaks of the next one."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for name, part in value.items():
            yield from texts(part) if name not in ("remedies", "verify", "fix") else ()
    elif isinstance(value, list):
        for part in value:
            yield from texts(part)


def test_the_headline_names_what_the_summary_and_the_json_name(answers: list[Answer]) -> None:
    for one in answers:
        head = one.found.headline
        assert (one.said["headline"]["kind"], one.said["headline"]["id"]) == (head.kind, head.id)
        assert one.text.startswith(("SICK", "HEALTHY", "UNCLEAR", "SUSPECTED", "OUT OF SCOPE"))
        if head.kind == "condition":
            title = all_conditions()[str(head.id)].title
            assert one.found.summary.startswith((title, f"Probably {lowered(title)}"))
            assert one.said["headline"]["id"] in {condition["id"] for condition in one.said["conditions"]}
        advised = bool(one.found.conditions) and one.found.conditions[0].advice
        assert head.kind != "healthy" or one.found.verdict == "healthy"
        assert one.found.verdict != "healthy" or head.kind == "healthy" or (head.kind == "condition" and advised)


def test_every_warning_is_the_headlines_or_follows_or_is_a_condition_of_its_own(answers: list[Answer]) -> None:
    for one in answers:
        if one.found.headline.kind != "condition":
            continue
        accounted = {name for found in one.found.conditions for name in (found.sign.id, *found.signs)}
        loose = {s.id for s in one.found.symptoms if s.severity != "info"} - accounted
        assert not loose - {"crash-infrastructure"}, (one.found.source, loose)


def test_a_healthy_answer_has_no_bad_condition(answers: list[Answer]) -> None:
    for one in answers:
        if one.found.verdict == "healthy":
            assert not [found.id for found in one.found.conditions if found.bad]
            assert not one.found.do_now
        else:
            assert "outcome is fine" not in one.text


def test_headline_advice_and_chart_begin_at_the_same_place(answers: list[Answer]) -> None:
    for one in answers:
        said = re.search(r" since (\w+ \d+):", one.found.summary)
        marked = re.search(r"(?:\^ )?from (\w+ \d+)(?: \^| (?:epoch|step|row) \d+ )", one.text)
        if said and marked:
            assert marked[1] == said[1], one.found.source
        if said:
            assert int(said[1].split()[1]) == one.found.headline.since
        kept = re.search(r"Keep the checkpoint of (\w+ \d+) \(", one.text)
        if said and kept and one.found.headline.id == "overfitting" and "minimum (" in one.found.summary:
            assert f"at {kept[1]})" in one.found.summary


def test_epochs_and_rows_are_not_called_steps(answers: list[Answer]) -> None:
    for one in answers:
        if one.found.step_unit != "step":
            told = [text for text in texts(one.said) if re.search(r"\b(?:at|from|until|by|since|of) step \d", text)]
            assert not told, (one.found.source, told)


def test_what_ends_is_the_last_row_or_is_called_smoothed(answers: list[Answer]) -> None:
    for one in answers:
        for name, value, after in re.findall(
            r"(training|validation) loss ends at ([\d.e+-]+\d)([ ,.;][^,.;]{0,12})", one.text, re.IGNORECASE
        ):
            series = one.run.series("loss/train" if name.lower() == "training" else "loss/validation")
            last = float(series.finite.values[-1])
            assert value == num4(last) or "(smoothed)" in after, (one.found.source, name, value, last)


def test_the_arithmetic_of_why_gives_the_probabilities(answers: list[Answer]) -> None:
    compared = 0
    for one in answers:
        if one.found.headline.kind != "condition" or one.found.verdict == "healthy":
            continue  # without something wrong, nothing lies behind it
        # `healthy` answers another question and does not compete with the causes.
        behind = [h for h in one.found.hypotheses if h.basis != "measured" and h.cause != "healthy"]
        scores = {h.cause: h.prior + sum(move.amount for move in h.contributions) for h in behind}
        for first, second in itertools.pairwise(behind):
            told = math.log(first.confidence / second.confidence)
            assert math.isclose(scores[first.cause] - scores[second.cause], told, abs_tol=0.02), one.found.source
            compared += 1
    assert compared > 20


def test_one_quantity_has_one_number(answers: list[Answer]) -> None:
    for one in answers:
        minima = set(re.findall(r"alidation loss[^.;:]*? its minimum \(([\d.e+-]+) at (\w+ \d+)\)", one.text))
        minima |= {
            (m, at) for at, m in re.findall(r"checkpoint of (\w+ \d+) \(validation loss ([\d.e+-]+)\)", one.text)
        }
        assert len(minima) <= 1, (one.found.source, minima)
        for value, _ in minima:
            held = one.run.series("loss/validation").finite.values
            assert math.isclose(float(value), float(held.min()), rel_tol=0.05), one.found.source


def test_a_sick_answer_fits_one_screen(answers: list[Answer]) -> None:
    long = [(one.lines, one.found.source) for one in answers if one.found.verdict == "sick" and one.lines > ONE_SCREEN]
    assert not long


def test_the_same_sentences_stand_in_text_markdown_and_html(answers: list[Answer]) -> None:
    for one in answers[:: 5 * EVERY_NTH]:
        page = render(one.found, "html")
        for found in one.found.conditions:
            assert found.id == one.found.headline.id or one.found.verdict == "healthy" or found.title in page
        shown = render(one.found, "markdown")
        for remedy in one.found.conditions[0].remedies if one.found.headline.kind == "condition" else ():
            words = re.findall(r"[A-Za-z]{4,}", remedy.text)[:6]
            assert all(word in shown and word in one.text and word in page for word in words)
