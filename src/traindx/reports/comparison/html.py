"""The comparison as one self-contained HTML page: the answer, the curves and a sortable table."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

from ...comparison import Comparison, Entry, Measured, is_number, shown
from ...wording import markup, num4, percent
from .._look import Look
from .._svg import NAMED, Frame, grid, line, style_of
from ..page import hashed
from .text import condition_sentences, count, diagnosis, duplicate_sentences, final, heading_reached, value

MOST_LINES = 100  # in the large chart; more would hide each other
SIDE_BY_SIDE = 6  # runs whose settings fit beside each other
HERE = Path(__file__).parent


def render(comparison: Comparison, look: Look) -> str:  # noqa: ARG001 (a page has one look)
    title = f"{len(comparison.entries):,} runs compared by {comparison.metric}"
    sentences = [*comparison.statement, *condition_sentences(comparison)]
    answer = "".join(f"<p>{markup(sentence)}</p>" for sentence in sentences)
    remarks = [*duplicate_sentences(comparison), *comparison.notes]
    remarks += [f"{source} was left out: {reason}." for source, reason in comparison.not_compared]
    script = (HERE / "page.js").read_text(encoding="utf-8")
    allows = f"default-src 'none'; script-src {hashed(script)}; style-src 'unsafe-inline'; base-uri 'none'"
    listed = "".join(f"<li>{markup(remark)}</li>" for remark in remarks)
    return "\n".join(
        [
            "<!doctype html>",
            '<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">',
            f'<meta http-equiv="Content-Security-Policy" content="{allows}">',
            f"<title>{markup(title)}</title>",
            f"<style>{(HERE / 'page.css').read_text(encoding='utf-8')}</style></head><body>",
            f"<h1>{markup(title)}</h1>",
            f'<section class="answer">{answer}</section>',
            f"<ul>{listed}</ul>" if listed else "",
            _chart(comparison),
            _effects(comparison),
            _settings(comparison),
            _table(comparison),
            f"<script>{script}</script></body></html>",
        ]
    )


def _curve(entry: Entry, comparison: Comparison) -> Measured:
    return entry.outcome.measured[comparison.key]


def _chart(comparison: Comparison) -> str:
    """All curves, the best one on top, and their names. Empty if the runs are not ranked: then their losses are
    different quantities, and only the table draws them, each on its own scale."""
    if not comparison.ranked or not comparison.entries:
        return ""
    entries = list(comparison.entries)
    chosen = entries if len(entries) <= MOST_LINES else entries[: MOST_LINES - 20] + entries[-20:]
    frame = Frame.over([_curve(entry, comparison) for entry in chosen], 860, 300)
    places = {id(entry): place for place, entry in enumerate(entries)}
    lines = "".join(
        line(
            _curve(entry, comparison),
            frame,
            f'class="run {style_of(places[id(entry)])}" data-run="{places[id(entry)]}"',
        ).replace("<polyline", f"<title>{markup(entry.name)}</title><polyline", 1)
        for entry in reversed(chosen)
    )
    unit = entries[0].outcome.step_unit
    remarks = [f"{comparison.metric}, smoothed{', logarithmic' if frame.log else ''}, by {unit}."]
    if len(entries) > NAMED:
        remarks.append(f"The best {NAMED} runs have a colour and a name; grey: the others (point at one for its name).")
    if any(_curve(entry, comparison).final is None for entry in chosen):
        remarks.append("× = NaN or Inf from there on.")
    if frame.cut:
        remarks.append(f"Values above {num4(frame.high)} are drawn along the top.")
    if len(entries) > len(chosen):
        remarks.append(f"{len(entries) - len(chosen)} runs in the middle of the ranking are not drawn.")
    return (
        f'<figure><svg class="chart" viewBox="-60 -8 {frame.width + 70:.0f} {frame.height + 34:.0f}" role="img" '
        f'aria-label="{markup(comparison.metric)} of the runs by {markup(unit)}">{grid(frame, unit)}{lines}</svg>'
        f"{_names(entries)}<figcaption>{markup(' '.join(remarks))}</figcaption></figure>"
    )


def _names(entries: Sequence[Entry]) -> str:
    """The legend of the coloured curves."""
    items = "".join(
        f'<li data-run="{place}"><svg class="key" width="30" height="10" aria-hidden="true">'
        f'<g class="run {style_of(place)}"><polyline points="1,5 29,5"/></g></svg>{markup(entry.name)}</li>'
        for place, entry in enumerate(entries[:NAMED])
    )
    return f'<ul class="names">{items}</ul>'


def _settings(comparison: Comparison) -> str:
    """The table of settings that differ, one row per setting and one column per run. Empty if there are many runs: then
    the table of runs holds the settings."""
    entries = comparison.entries
    if not comparison.differing or len(entries) > SIDE_BY_SIDE:
        return ""
    head = "".join(f"<th>{markup(entry.name)}</th>" for entry in entries)
    rows = "".join(
        f"<tr><th>{markup(name)}</th>"
        + "".join(f"<td>{markup(shown(entry.settings.get(name)))}</td>" for entry in entries)
        + "</tr>"
        for name in comparison.differing
    )
    return (
        '<h2>Settings that differ</h2><div class="wide"><table><thead><tr><th>setting</th>'
        f"{head}</tr></thead><tbody>{rows}</tbody></table></div>"
    )


def _effects(comparison: Comparison) -> str:
    rows = []
    for effect in comparison.effects[:12]:
        sure = "cannot be tested" if effect.p_value is None else f"{effect.p_value:.2g}"
        levels = ", ".join(
            f"{markup(label)} → {'NaN/Inf' if math.isinf(middle) else num4(middle)} <small>({runs})</small>"
            for label, runs, middle in effect.levels[:6]
        )
        rival = f"confounded with {markup(' and '.join(effect.rival))}" if effect.rival else ""
        rows.append(
            f"<tr><th>{markup(' and '.join(effect.settings))}</th>"
            f'<td><span class="bar" style="--share:{effect.share:.3f}"></span>{percent(effect.share)}</td>'
            f"<td>{sure}</td><td>{levels}</td><td>{rival}</td></tr>"
        )
    if not rows:
        return ""
    return (
        '<h2>Settings related to the result</h2><table class="folding"><thead><tr><th>setting</th>'
        "<th>share of rank differences</th><th>p-value</th><th>value → median result (runs), best first</th>"
        f"<th></th></tr></thead><tbody>{''.join(rows)}</tbody></table>"
    )


def _table(comparison: Comparison) -> str:
    settings = comparison.differing if len(comparison.entries) > SIDE_BY_SIDE else []
    headings = ["#"] if comparison.ranked else []
    headings += ["run", "curve", *settings, "best", "final", "diagnosis", "stability", "at step"]
    headings += heading_reached(comparison)
    head = "".join(f'<th tabindex="0" role="button">{markup(heading)}</th>' for heading in headings)
    curves = [_curve(entry, comparison) for entry in comparison.entries]
    # Runs that are not ranked have losses of different kinds, so each gets its own scale.
    frames = [Frame.over(curves if comparison.ranked else [curve], 120, 34) for curve in curves]
    rows = [
        _row(place, entry, comparison, frame, settings)
        for place, (entry, frame) in enumerate(zip(comparison.entries, frames, strict=True))
    ]
    return (
        '<h2>Runs</h2><p><input id="find" type="search" placeholder="show only runs with …" aria-label="filter"> '
        "Click a heading to sort.</p>"
        f'<div class="wide"><table id="runs"><thead><tr>{head}</tr></thead><tbody>{"".join(rows)}</tbody></table></div>'
    )


def _row(place: int, entry: Entry, comparison: Comparison, frame: Frame, settings: Sequence[str]) -> str:
    outcome = entry.outcome
    drawn = line(_curve(entry, comparison), frame, f'class="run {style_of(place)}"')
    spark = f'<svg class="spark" width="120" height="34" aria-hidden="true">{drawn}</svg>'
    cells = [
        *([_cell(str(place + 1), place)] if comparison.ranked else []),
        f'<th title="{markup(outcome.source)}">{markup(entry.name)}</th>',
        f'<td class="curve" data-sort="{_sortable(entry.value)}">{spark}</td>',
    ]
    for name in settings:
        setting = entry.settings.get(name)
        cells.append(_cell(shown(setting), float(setting) if is_number(setting) else None))  # type: ignore[arg-type]
    cells += [
        _cell(value(entry.best), entry.best),
        _cell(final(entry), math.inf if entry.final is None else entry.final),
        f'<td class="{markup(outcome.verdict)}" title="{markup(outcome.summary)}">{markup(diagnosis(entry))}</td>',
        _cell(outcome.stability, None),
        _cell(count(entry.best_step, "-"), entry.best_step),
    ]
    if comparison.level is not None:
        cells.append(_cell(count(entry.reached), math.inf if entry.reached is None else entry.reached))
    return f'<tr data-run="{place}">{"".join(cells)}</tr>'


def _cell(text: str, number: float | None) -> str:
    if number is None:
        return f"<td>{markup(text)}</td>"
    return f'<td class="number" data-sort="{_sortable(number)}">{markup(text)}</td>'


def _sortable(number: float | None) -> str:
    """A number for JavaScript to sort by; missing and infinite values are sorted last."""
    return "Infinity" if number is None or math.isinf(number) else repr(float(number))
