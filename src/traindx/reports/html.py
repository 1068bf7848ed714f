"""The diagnosis as compact HTML without scripts, for a notebook cell, a mail or a chat that shows HTML.

`traindx report` writes the full page with charts (`page/`); this one needs only the diagnosis.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ..diagnosis import Diagnosis, Hypothesis
from ..wording import counted, markup, probability
from ._change import change, is_diff
from ._hypotheses import BASIS, NEGLIGIBLE, SAFETY, stands_out, tested
from ._look import Look
from ._sketch import sketch
from ._treatment import lines as treated
from ._verdicts import ending, state

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
    verdict = state(diagnosis)
    details = ", ".join([diagnosis.kind, counted(diagnosis.steps, diagnosis.step_unit), *ending(diagnosis)])
    return "".join(
        [
            f'<section class="traindx {verdict.key}">',
            f'<p class="verdict"><span>{markup(verdict.mark)} {markup(verdict.word)}</span></p>',
            f"<h2>{markup(diagnosis.summary)}</h2>",
            f'<p class="source">{markup(diagnosis.source)} · {markup(details)}</p>',
            _list("Do now", diagnosis.do_now),
            sketch(diagnosis.loss, diagnosis.validation, diagnosis.onset, diagnosis.step_unit),
            _list("Terms of the loss", [diagnosis.terms] if diagnosis.terms else []),
            _list("Treated", [text.replace("**", "") for text in treated(diagnosis.treatment)])
            if diagnosis.treatment
            else "",
            *_causes(diagnosis),
            _list("Not measured", diagnosis.not_measured, folded=True),
            _list("Checked and normal", diagnosis.checked, folded=True),
            _next(diagnosis),
            "</section>",
        ]
    )


def _causes(diagnosis: Diagnosis) -> list[str]:
    if diagnosis.verdict in ("healthy", "out-of-scope"):
        return []
    likely = [h for h in diagnosis.hypotheses if h.confidence >= NEGLIGIBLE or h.beside is not None]
    full = bool(likely) and stands_out(likely[0])
    return [_cause(h) if (full and h is likely[0]) or h.beside is not None else _line(h) for h in likely[:5]]


def _cause(hypothesis: Hypothesis) -> str:
    """One cause with its evidence and its fix."""
    fix = hypothesis.fix
    lines = change(fix) if fix else []
    code = "".join(_code_line(line, bool(fix and is_diff(fix))) for line in lines)
    place = f" <code>{markup(fix.location)}</code>" if fix and fix.location else ""
    about = f"{hypothesis.cause}, {probability(hypothesis.confidence)}, {BASIS[hypothesis.basis]}"
    return "".join(
        [
            f'<div class="cause"><h3>{markup(hypothesis.title)} <small>{markup(about)}</small></h3>',
            _list("", hypothesis.evidence),
            _list("Against it", hypothesis.against),
            f"<p><b>Tested:</b> {markup(tested(hypothesis.trial))}</p>" if hypothesis.trial else "",
            f"<p><b>Fix:</b> {markup(fix.summary)} ({SAFETY[fix.safety]}){place}</p>" if fix else "",
            f"<pre>{code}</pre>" if code else "",
            _list("Avoid", hypothesis.avoid),
            "</div>",
        ]
    )


def _code_line(line: str, diff: bool) -> str:
    kind = {"+": "ins", "-": "del"}.get(line[:1], "span") if diff else "span"
    return f"<{kind}>{markup(line)}</{kind}>\n"


def _line(hypothesis: Hypothesis) -> str:
    best = f": {hypothesis.evidence[0]}" if hypothesis.evidence else ""
    return f"<p><b>{probability(hypothesis.confidence)}</b> {markup(hypothesis.title)}{markup(best)}</p>"


def _list(title: str, texts: Sequence[str], *, folded: bool = False) -> str:
    if not texts:
        return ""
    items = f"<ul>{''.join(f'<li>{markup(text)}</li>' for text in texts)}</ul>"
    if folded:
        return f"<details><summary>{title} ({len(texts)})</summary>{items}</details>"
    return (f"<p><b>{title}</b></p>" if title else "") + items


def _next(diagnosis: Diagnosis) -> str:
    if not diagnosis.next_tests:
        return ""
    test = diagnosis.next_tests[0]
    why = f" {markup(test.why)}" if test.why else ""
    return f"<p><b>Next:</b> <code>{markup(test.command)}</code>{why}</p>"
