"""The one sentence that a person would say: the finding, or the symptom with its onset."""

from __future__ import annotations

from collections.abc import Sequence

from ..causes import Cause, all_causes
from ..conditions import Finding
from ..record import Run
from ..signs import Sign, Signs
from ..signs.curve import moment
from ..wording import lowered
from .model import HEALTHY, QUESTION, UNKNOWN
from .types import Hypothesis
from .verdict import WELL, Assessment, advised_condition, leading_condition

CERTAIN = 0.7  # the confidence from which a condition is named without a word of doubt
PROBABLE = 0.4  # the confidence from which a sentence names a cause that was only inferred


def title_of(name: str, cause: Cause | None) -> str:
    if cause is not None:
        return cause.title
    return {HEALTHY: "No fault found", UNKNOWN: "Unknown cause"}[name]


def summarise(
    found: Assessment,
    hypotheses: Sequence[Hypothesis],
    conditions: Sequence[Finding],
    symptoms: Sequence[Sign],
    signs: Signs,
    run: Run,
) -> str:
    """`symptoms`: raised signs, most severe first."""
    if found.verdict == "healthy":
        # The losses of two adversaries need not fall: what they earn is said instead.
        learned = next(
            (signs[s] for s in ("validation-learned", "training-learned", "adversary-won") if s in signs), None
        )
        notes = [named(condition, run) for condition in conditions if condition.follows_from is None][:2]
        word = "This run looks healthy" if run.kind == "observed" else "This log shows no sign of trouble"
        first = advised_condition(found, conditions)
        word = "Apart from that, nothing bad was measured" if first else "Nothing bad was measured" if notes else word
        text = f"{word}: {lowered(learned.text)}" if learned is not None else f"{word}."
        return " ".join([text, *notes] if first is None else [*notes[:1], text, *notes[1:]])
    if found.seen is not None:
        return _finding(hypotheses)
    leading = leading_condition(found, conditions)
    if leading is not None and (found.verdict == "sick" or found.suspected is None):
        return named(leading, run)
    if found.bad:
        return _symptom(found.bad, symptoms, signs)
    if found.suspected is not None:
        suspect = hypotheses[0]
        rests = f": {lowered(suspect.evidence[0])}" if suspect.evidence else "."
        if suspect.confidence <= QUESTION:
            return f"Possibly {lowered(suspect.title)}; one measurement alone speaks for it{rests}"
        well = ", although the run learned well" if _learned_well(signs) else ""
        return f"{_sure(suspect.confidence, suspect.title)}{well}{rests}"
    scope = ("too-short", "few-updates", *(("too-early",) if found.short else ()))
    short = next((signs[s] for s in scope if s in signs and signs[s].raised), None)
    if short is not None:
        return f"Too little to judge: {lowered(short.text)}"
    if found.doubts:
        return f"{_symptom(found.doubts, symptoms, signs)} {_cause(_accounting_for(found.doubts, hypotheses))}".strip()
    if run.kind == "interview":
        return f"By what you said: {lowered(_cause(hypotheses) or 'unclear: no cause stands out.')}"
    learned = signs.get("training-learned")
    if learned is not None and not learned.raised:
        return f"No fault was found, but too little was learned to call this run healthy: {lowered(learned.text)}"
    return "No fault was found, but too little was measured to call this run healthy."


def _learned_well(signs: Signs) -> bool:
    """Whether training and validation reached what they set out for. Only then is the outcome called good."""
    levels = [signs.level(name) for name in ("training-learned", "validation-learned")]
    return all(level is not None and level >= WELL for level in levels)


def named(condition: Finding, run: Run) -> str:
    """`Overfitting since epoch 5: validation loss ends at …`, with the word for how sure it is."""
    since = f" since {moment(run, condition.onset)}" if condition.onset is not None and _begins(condition, run) else ""
    title = condition.title if condition.confidence >= CERTAIN else f"Probably {lowered(condition.title)}"
    return f"{title}{since}: {lowered(condition.evidence[0])}"


def _begins(condition: Finding, run: Run) -> bool:
    """Whether the onset says something: not where the condition is there from the start, or is a note."""
    starts = [int(s.steps[0]) for s in (run.series("loss/train"), run.series("loss/validation")) if s]
    return not condition.advice and condition.onset not in starts


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
    """The likeliest cause, if it is probable."""
    leading = next((h for h in hypotheses if h.cause not in (HEALTHY, UNKNOWN)), None)
    if leading is None or leading.confidence < PROBABLE or leading.confidence < _unknown(hypotheses):
        return ""
    return f"{_sure(leading.confidence, leading.title.rstrip('.'))}."


def _unknown(hypotheses: Sequence[Hypothesis]) -> float:
    return max((h.confidence for h in hypotheses if h.cause == UNKNOWN), default=0.0)


def _sure(confidence: float, title: str) -> str:
    """The title with the word that fits the number as it is printed."""
    confidence = round(confidence, 2)
    if confidence >= 0.95:
        return title
    word = "Very likely" if confidence >= 0.7 else "Probably" if confidence >= 0.4 else "Possibly"
    return f"{word} {lowered(title)}"
