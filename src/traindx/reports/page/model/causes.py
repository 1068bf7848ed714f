"""The ranked causes as cards, further symptoms, what was found normal, and the next commands."""

from __future__ import annotations

from typing import Any

from ....causes import Fix
from ....diagnosis import Diagnosis, Hypothesis
from ....record import Run
from ....signs import Sign
from ....wording import probability
from ..._change import change, is_diff
from ..._hypotheses import BASIS, NEGLIGIBLE, SAFETY, stands_out, tested
from .places import by_text, place

MOST_CARDS = 6


def causes(run: Run, diagnosis: Diagnosis) -> list[dict[str, Any]]:
    """The causes. The leading cause and additional faults are shown in full (`open`), the others collapsed."""
    if diagnosis.verdict in ("healthy", "out-of-scope"):
        return []
    known = by_text(diagnosis.signs.values())
    likely = [h for h in diagnosis.hypotheses if h.confidence >= NEGLIGIBLE or h.beside is not None]
    leads = bool(likely) and stands_out(likely[0])
    return [
        _card(run, hypothesis, known, opened=hypothesis.beside is not None or (leads and hypothesis is likely[0]))
        for hypothesis in likely[:MOST_CARDS]
    ]


def _card(run: Run, hypothesis: Hypothesis, known: dict[str, Sign], *, opened: bool) -> dict[str, Any]:
    return {
        "cause": hypothesis.cause,
        "title": hypothesis.title,
        "confidence": round(float(hypothesis.confidence), 4),
        "share": probability(hypothesis.confidence),
        "basis": "" if hypothesis.cause in ("healthy", "unknown") else BASIS[hypothesis.basis],
        "additional": hypothesis.beside is not None,
        "open": opened,
        "evidence": _placed(run, hypothesis.evidence, known),
        "against": _placed(run, hypothesis.against, known),
        "follows": _placed(run, hypothesis.consequences, known),
        "tested": tested(hypothesis.trial) if hypothesis.trial else "",
        "fix": _fix(hypothesis.fix) if hypothesis.fix else None,
        "avoid": list(hypothesis.avoid),
        "verify": hypothesis.verify,
        "reference": hypothesis.reference,
    }


def _placed(run: Run, texts: Any, known: dict[str, Sign]) -> list[dict[str, Any]]:
    return [{"text": text, "place": place(run, known.get(text))} for text in texts]


def _fix(fix: Fix) -> dict[str, Any]:
    """`lines` are shown; `copy` goes to the clipboard: the patch for `patch -p1`, or else the code."""
    diff = is_diff(fix)
    return {
        "summary": fix.summary,
        "safety": SAFETY[fix.safety],
        "where": str(fix.location) if fix.location else "",
        "diff": diff,
        "lines": [[line[:1] if diff else " ", line[1:] if diff else line] for line in change(fix)],
        "copy": fix.patch or fix.code,
    }


def symptoms(run: Run, diagnosis: Diagnosis) -> list[dict[str, Any]]:
    """Raised signs that neither the summary nor the leading cause mentions."""
    told = {diagnosis.summary, *(text for h in diagnosis.hypotheses[:1] for text in [*h.evidence, *h.consequences])}
    return [
        {"severity": sign.severity, "text": sign.text, "sign": sign.id, "place": place(run, sign)}
        for sign in diagnosis.symptoms
        if sign.severity != "info" and sign.text not in told and sign.text not in diagnosis.summary
    ]


def checks(diagnosis: Diagnosis) -> dict[str, Any]:
    asked = [{"question": q.question, "finding": q.finding, "trouble": q.trouble} for q in diagnosis.questions]
    answered = [q.finding for q in diagnosis.questions]
    return {
        "asked": asked,
        "normal": [text for text in diagnosis.checked if not any(text in finding for finding in answered)],
        "not_measured": list(diagnosis.not_measured),
        "looks": [*([f"Terms of the loss: {diagnosis.terms}"] if diagnosis.terms else []), *diagnosis.looks],
        "advice": [{"cause": advice.cause, "text": advice.text} for advice in diagnosis.advice],
        "errors": dict(diagnosis.errors),
    }


def next_commands(diagnosis: Diagnosis) -> list[dict[str, str]]:
    return [
        {
            "command": test.command,
            "why": test.why or (f"tells apart: {', '.join(test.settles)}" if test.settles else ""),
        }
        for test in diagnosis.next_tests
    ]
