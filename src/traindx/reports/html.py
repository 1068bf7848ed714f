"""The diagnosis as compact HTML without scripts, for a notebook cell, a mail or a chat that shows HTML.

`traindx report` writes the full page with charts (`page/`); this one needs only the diagnosis.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ..diagnosis import Diagnosis
from ..wording import markup
from ._look import Look
from ._overview import Row
from ._sections import CHART, Entry, Section, answer, next_commands
from ._states import STATES, details, state
from ._svg import sketch

SUFFIXES = (".html", ".htm")
STYLE = Path(__file__).with_name("html.css")


def render(diagnosis: Diagnosis, look: Look) -> str:
    return render_all([diagnosis], look)


def render_all(diagnoses: Sequence[Diagnosis], look: Look) -> str:  # noqa: ARG001 (HTML looks the same everywhere)
    """One document that loads nothing, so it works in a mail and from a disk."""
    title = diagnoses[0].summary if len(diagnoses) == 1 else f"{len(diagnoses)} runs"
    return "\n".join(
        [
            "<!doctype html>",
            '<html lang="en"><head><meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">",
            f"<title>{markup(title)}</title></head><body>",
            *(fragment(diagnosis) for diagnosis in diagnoses),
            "</body></html>",
        ]
    )


def fragment(diagnosis: Diagnosis) -> str:
    """One `<section>` with its own style, to embed in another page."""
    return f"<style>{STYLE.read_text(encoding='utf-8')}</style>{section(diagnosis)}"


def section(diagnosis: Diagnosis) -> str:
    """The same without its style."""
    verdict, parts = state(diagnosis), answer(diagnosis)
    picture = sketch(diagnosis.loss, diagnosis.validation, diagnosis.marked, diagnosis.step_unit)
    return "".join(
        [
            f'<section class="traindx {verdict.key}">',
            f'<p class="verdict"><span>{markup(verdict.mark)} {markup(verdict.word)}</span></p>',
            f"<h2>{markup(diagnosis.summary)}</h2>",
            f'<p class="source">{markup(diagnosis.source)} · {markup(", ".join(details(diagnosis)))}</p>',
            *(picture if part is CHART else _part(part) for part in parts if part.most != 0),
            *(_part(part) for part in parts if part.most == 0),
            _next(diagnosis),
            "</section>",
        ]
    )


def line(row: Row, name: str) -> str:
    """One of many runs, as an item of a list."""
    return f"<li>{markup(STATES[row.state].word)}: {markup(name)}, {markup(row.condition)}</li>"


def _part(part: Section) -> str:
    """A section; folded if the answer does not rest on it. Nothing is left out: a page has no --why."""
    if not part.entries:
        return ""
    items = "".join(f"<li>{_entry(entry)}</li>" for entry in part.entries)
    numbered = all(entry.mark.strip().endswith(".") for entry in part.entries)
    content = f"<ol>{items}</ol>" if numbered else f"<ul>{items}</ul>"
    if part.most == 0 or part.label == "NOT MEASURED":
        return f"<details><summary>{part.title} ({len(part.entries)})</summary>{content}</details>"
    return f"<h3>{part.title}</h3>{content}"


def _entry(entry: Entry) -> str:
    share = f"<b>{markup(entry.mark.strip())}</b> " if entry.mark.strip().endswith("%") else ""
    place = f" <code>{markup(entry.place)}</code>" if entry.place else ""
    below = f"<ul>{''.join(f'<li>{markup(text)}</li>' for text in entry.below)}</ul>" if entry.below else ""
    code = "".join(_code_line(line, entry.diff) for line in entry.code)
    return f"{share}{markup(entry.text)}{place}{below}{f'<pre>{code}</pre>' if code else ''}"


def _code_line(line: str, diff: bool) -> str:
    kind = {"+": "ins", "-": "del"}.get(line[:1], "span") if diff else "span"
    return f"<{kind}>{markup(line)}</{kind}>\n"


def _next(diagnosis: Diagnosis) -> str:
    for command, purpose in next_commands(diagnosis)[:1]:
        why = f" {markup(purpose)}" if purpose else ""
        return f"<p><b>Next:</b> <code>{markup(command)}</code>{why}</p>"
    return ""
