"""The one sentence that a person would say."""

from __future__ import annotations

from collections.abc import Sequence

from ..causes import Cause
from ..record import Run
from ..signs import Signs
from .model import HEALTHY, UNKNOWN
from .types import Hypothesis, Verdict


def title_of(name: str, cause: Cause | None) -> str:
    if cause is not None:
        return cause.title
    return {HEALTHY: "Nothing is wrong that could be seen", UNKNOWN: "Something that is not known here"}[name]


def summarise(verdict: Verdict, hypotheses: Sequence[Hypothesis], signs: Signs, run: Run) -> str:
    if verdict == "sick" and hypotheses[0].cause not in (HEALTHY, UNKNOWN):
        return _sick(hypotheses)
    if verdict == "healthy":
        return "This run looks healthy." if run.kind == "observed" else "This log shows no sign of trouble."
    short = signs.get("too-short")
    if short is not None and short.raised:
        return f"Too little to judge: {_lower(short.text)}"
    named = [h for h in hypotheses if h.cause not in (HEALTHY, UNKNOWN)]
    trouble = [s for s in signs.raised() if s.severity in ("critical", "warning")]
    if trouble:
        seen = max(trouble, key=lambda s: (s.severity == "critical", s.level)).text.rstrip(".")
        guess = f"; the likeliest cause is {named[0].cause} ({named[0].confidence:.0%})" if named else ""
        return f"{seen}. What causes it cannot be told from what was recorded{guess}."
    return "Nothing stands out, but what was recorded is not enough to call this run healthy."


def _sick(hypotheses: Sequence[Hypothesis]) -> str:
    leading = hypotheses[0]
    certain = leading.confidence >= 0.8
    verb = "" if certain else "most likely: " if leading.confidence >= 0.5 else "possibly: "
    also = [h for h in hypotheses[1:] if h.beside is not None]
    title = leading.title.rstrip(".")
    text = f"{verb}{title}".strip() if certain else f"{verb.capitalize()}{_lower(title)}"
    if leading.evidence:
        text += f" — {_lower(leading.evidence[0].rstrip('.'))}"
    text += "."
    if also:
        text += " Also seen, to mend after it: " + "; ".join(_lower(h.title.rstrip(".")) for h in also) + "."
    return text


def _lower(text: str) -> str:
    """Lower the first letter, unless the word is a name or an abbreviation."""
    first = text.split(" ", 1)[0]
    return text if sum(c.isupper() for c in first) > 1 or not first[:1].isalpha() else text[:1].lower() + text[1:]
