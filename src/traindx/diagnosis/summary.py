"""The one sentence that a person would say: the finding, or the symptom with its onset."""

from __future__ import annotations

from collections.abc import Sequence

from ..causes import Cause, all_causes
from ..record import Run
from ..signs import Sign, Signs
from ..wording import lowered
from .model import HEALTHY, UNKNOWN
from .types import Hypothesis
from .verdict import Assessment

NO_LEADER = 0.25  # the confidence below which naming a cause in one sentence would mislead


def title_of(name: str, cause: Cause | None) -> str:
    if cause is not None:
        return cause.title
    return {HEALTHY: "No fault found", UNKNOWN: "Unknown cause"}[name]


def summarise(
    found: Assessment, hypotheses: Sequence[Hypothesis], symptoms: Sequence[Sign], signs: Signs, run: Run
) -> str:
    """`symptoms`: raised signs, most severe first."""
    if found.verdict == "healthy":
        learned = next((signs[s] for s in ("validation-learned", "training-learned") if s in signs), None)
        word = "This run looks healthy" if run.kind == "observed" else "This log shows no sign of trouble"
        return f"{word}: {lowered(learned.text)}" if learned is not None else f"{word}."
    if found.seen is not None:
        return _finding(hypotheses)
    if found.bad:
        return f"{_symptom(found.bad, symptoms, signs)} {_cause(hypotheses)}"
    if found.suspected is not None:
        leading = hypotheses[0]
        rests = f": {lowered(leading.evidence[0])}" if leading.evidence else "."
        return f"{_sure(leading.confidence, leading.title)}, but the outcome is fine{rests}"
    scope = ("too-short", "few-updates", *(("too-early",) if found.short else ()))
    short = next((signs[s] for s in scope if s in signs and signs[s].raised), None)
    if short is not None:
        return f"Too little to judge: {lowered(short.text)}"
    if found.doubts:
        return f"{_symptom(found.doubts, symptoms, signs)} {_cause(_accounting_for(found.doubts, hypotheses))}"
    if run.kind == "interview":
        return f"By what you said: {lowered(_cause(hypotheses))}"
    learned = signs.get("training-learned")
    if learned is not None and not learned.raised:
        return f"No fault was found, but too little was learned to call this run healthy: {lowered(learned.text)}"
    return "No fault was found, but too little was measured to call this run healthy."


def _finding(hypotheses: Sequence[Hypothesis]) -> str:
    leading = hypotheses[0]
    text = _sure(leading.confidence, leading.title.rstrip("."))
    text += f": {lowered(leading.evidence[0].rstrip('.'))}." if leading.evidence else "."
    also = [h.title.rstrip(".") for h in hypotheses[1:] if h.beside is not None]
    return text + (f" Also: {'; '.join(lowered(title) for title in also)}." if also else "")


def _symptom(names: Sequence[str], symptoms: Sequence[Sign], signs: Signs) -> str:
    """The most severe of these outcomes. A doubt may be too weak to be listed among the symptoms."""
    listed = [sign for sign in symptoms if sign.id in names]
    return (listed or sorted((signs[name] for name in names), key=lambda sign: -sign.level))[0].text


def _accounting_for(doubts: Sequence[str], hypotheses: Sequence[Hypothesis]) -> list[Hypothesis]:
    """Without the causes that none of the doubts speaks for: one sentence must not blame one thing on another."""
    causes = all_causes()
    return [h for h in hypotheses if h.cause not in causes or set(doubts) & set(causes[h.cause].supports)]


def _cause(hypotheses: Sequence[Hypothesis]) -> str:
    """The leading cause, if one stands out: even if `healthy` is likelier, when it leads the causes by far."""
    if not hypotheses:
        return "Unclear why: no cause stands out."
    leading, needed = hypotheses[0], NO_LEADER
    if leading.cause == HEALTHY and len(hypotheses) > 1:
        leading, needed = hypotheses[1], (1.0 - leading.confidence) / 2
    if leading.cause in (HEALTHY, UNKNOWN) or leading.confidence < needed:
        return "Unclear why: no cause stands out."
    return f"{_sure(leading.confidence, leading.title.rstrip('.'))}."


def _sure(confidence: float, title: str) -> str:
    """The title with the word that fits the number as it is printed."""
    confidence = round(confidence, 2)
    if confidence >= 0.95:
        return title
    word = "Very likely" if confidence >= 0.7 else "Probably" if confidence >= 0.4 else "Possibly"
    return f"{word} {lowered(title)}"
