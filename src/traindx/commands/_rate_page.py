"""The range test as text for the terminal."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..probes.rate_curve import AGREE, RateAdvice, place_of
from ..probes.rates import RateTest
from ..record import Series
from ..record.program import is_adaptive
from ..reports import Look
from ..reports.layout import Page, figure
from ..wording import counted, num

ROWS = 4
NEXT = {
    "still-falling": "raise --high",
    "too-short": "the loss is NaN/Inf from the start: run traindx check",
    "flat": "more --steps show smaller effects; if no learning rate changes the loss, run traindx check",
    "unmeasured": "run traindx check",
}
LEGEND = {"^": "^ suggestion", "y": "y your learning rate"}


def page(test: RateTest, source: str, batch_size: int | None, look: dict[str, Any]) -> str:
    sheet = Page(Look(**look))
    advice = test.advice
    if advice.suggestion is None:
        sheet.prose("LR", f"can't tell: {advice.why_not}")
    else:
        assert advice.interval is not None
        low, high = advice.interval
        repeats = sum(reading.suggestion is not None for reading in advice.readings)
        sheet.prose("LR", f"{advice.suggestion:.2g} ({low:.2g} to {high:.2g} over {counted(repeats, 'repeat')})")
    sheet.prose("", source)
    sheet.gap()
    _curve(sheet, test)
    sheet.gap()
    if advice.rules:
        sheet.prose("RULES", _rules(advice))
    if test.own_rate:
        where = place_of(test.own_rate, advice)
        sheet.prose("YOURS", f"{test.own_rate:.3g}" + (f": {where}" if where else ""))
    if batch_size is not None:
        sheet.prose("BATCH", scaling(test, batch_size))
    if advice.suggestion is None:
        sheet.prose("NEXT", NEXT[advice.obstacle.kind if advice.obstacle else "unmeasured"])
    for note in test.notes:
        sheet.prose("NOTE", note)
    return str(sheet)


def _rules(advice: RateAdvice) -> str:
    words = ", ".join(f"{name} {rate:.2g}" for name, rate in advice.rules.items())
    if advice.agree:
        return f"{words}: they agree within a factor of {AGREE:g}"
    return f"{words}: they do not agree, so take the suggestion as a starting point only"


def _curve(sheet: Page, test: RateTest) -> None:
    """The smoothed curve of the first repeat over the learning rate (log scale), with the suggestion marked."""
    reading = test.advice.readings[0]
    rates, smooth = reading.curve.rates, reading.smooth
    if len(rates) < 2:
        return
    width = sheet.look.width - sheet.margin
    series = Series("loss", np.arange(len(smooth)), smooth)
    lines = figure([series], None, width=width, rows=ROWS, ascii_only=sheet.look.ascii_only)
    drawn = lines[:ROWS]
    margin = drawn[0].index("|") + 1
    columns = max(24, max(map(len, drawn)) - margin)
    marks = [" "] * columns
    for rate, mark in ((test.own_rate, "y"), (test.advice.suggestion, "^")):
        if rate and rates[0] <= rate <= rates[-1]:
            share = math.log(rate / rates[0]) / math.log(rates[-1] / rates[0])
            marks[round(share * (columns - 1))] = mark
    first, last = num(rates[0], 1), num(rates[-1], 1)
    ends = first + last.rjust(columns - len(first))
    sheet.block("LOSS", [*drawn, " " * margin + "".join(marks).rstrip(), " " * margin + ends])
    legend = [text for mark, text in LEGEND.items() if mark in marks]
    sheet.prose("", f"loss over the learning rate, log scale{' (' + ', '.join(legend) + ')' if legend else ''}")


def scaling(test: RateTest, batch_size: int) -> str:
    """What to do with the learning rate when the batch size changes."""
    if not test.batch_size or batch_size < 1:
        return "the current batch size is unknown, so there is nothing to scale from"
    rate = test.suggestion or test.own_rate
    if not rate:
        return "no learning rate is known to start from"
    times = batch_size / test.batch_size
    adaptive = is_adaptive(test.optimizer or "")
    scaled = rate * (math.sqrt(times) if adaptive else times)
    rule = "its square root, as is usual with adaptive optimizers" if adaptive else "the same factor (linear scaling)"
    return (
        f"from {test.batch_size:g} to {batch_size} samples is a factor of {times:.3g}; scale the learning rate by "
        f"{rule}: {scaled:.2g}. Warm up over the first epochs when the factor is above 4, and test again"
    )
