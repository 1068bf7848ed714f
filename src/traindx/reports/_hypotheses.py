"""The hypotheses in a text report: the leading cause in full, the others in a line or two."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..causes import Fix
from ..diagnosis import Hypothesis, SimilarCase
from ..wording import clean, num, probability, sentence
from ._change import change, is_diff
from .layout import Page

NEGLIGIBLE = 0.01  # less likely causes ("<1 %") are not shown
STANDS_OUT = 0.25
BASIS = {
    "seen": "seen directly",
    "suspected": "suspected from its effects",
    "proven": "proven by experiment",
    "refuted": "refuted by experiment",
}
SHARE_COLUMN = len(">99 %  ")
SAFETY = {
    "safe": "safe: nothing else changes",
    "changes-result": "changes the result",
    "costly": "costs time or memory",
}


def stands_out(leading: Hypothesis) -> bool:
    """Whether the report shows this cause in full. If not, it lists several possible causes."""
    return leading.cause not in ("healthy", "unknown") and leading.confidence >= STANDS_OUT


def cause(page: Page, leading: Hypothesis) -> None:
    """The leading cause: its evidence, the fix, and what to avoid."""
    page.prose("CAUSE", f"{_name(leading)}, {BASIS[leading.basis]}", bullet=_share(leading))
    page.items("EVIDENCE", leading.evidence, most=4, bullet="+ ")
    page.items("AGAINST", leading.against, most=2)
    if leading.trial:
        page.prose("TESTED", tested(leading.trial))
    page.items("FOLLOWS", leading.consequences, most=2)
    if leading.fix:
        page.gap()
        show_fix(page, leading.fix)
    page.items("AVOID", leading.avoid, most=2)
    page.prose("VERIFY", leading.verify)
    page.prose("REFERENCE", leading.reference)


def show_fix(page: Page, fix: Fix) -> None:
    """A diff of the user's own file, or a pattern if the place is unknown."""
    page.prose("FIX", f"{fix.summary} ({SAFETY[fix.safety]})")
    if fix.location:
        page.block("", [clean(str(fix.location), page.look.ascii_only)])
    page.block("", [_changed(page, clean(f"  {line}", page.look.ascii_only), is_diff(fix)) for line in change(fix)])


def _changed(page: Page, line: str, diff: bool) -> str:
    style = {"  +": "added", "  -": "removed"}.get(line[:3]) if diff else None
    return page.styled(line, style) if style else line


def additional(page: Page, faults: Sequence[Hypothesis]) -> None:
    """Further faults beside the leading one, each with its evidence and its fix."""
    for fault in faults:
        page.gap()
        page.prose("ALSO", f"{_name(fault)}, {BASIS[fault.basis]}: fix it next")
        page.items("EVIDENCE", fault.evidence, most=2, bullet="+ ")
        if fault.fix:
            show_fix(page, fault.fix)


def alternatives(page: Page, rest: Sequence[Hypothesis]) -> None:
    """Less likely causes, each with its best evidence."""
    likely = [other for other in rest if other.confidence >= NEGLIGIBLE and other.beside is None]
    for i, hypothesis in enumerate(likely if page.look.why else likely[:3]):
        best = f": {hypothesis.evidence[0]}" if hypothesis.evidence else ""
        page.prose("" if i else "ALTERNATIVES", _name(hypothesis) + best, bullet=_share(hypothesis))


def candidates(page: Page, hypotheses: Sequence[Hypothesis]) -> None:
    """Several possible causes of which none stands out, each with its best evidence."""
    likely = [hypothesis for hypothesis in hypotheses if hypothesis.confidence >= NEGLIGIBLE]
    for i, hypothesis in enumerate(likely if page.look.why else likely[:4]):
        page.prose("" if i else "POSSIBLE", _name(hypothesis), bullet=_share(hypothesis))
        page.items("", hypothesis.evidence, most=2, bullet=" " * SHARE_COLUMN + "+ ")


def solved(case: SimilarCase) -> str:
    """One sentence about a similar case that was solved earlier."""
    return f"{case.script} ({case.date}) had {case.cause}, {case.verdict} by: {sentence(case.fix)} {case.effect}."


def _name(hypothesis: Hypothesis) -> str:
    return (
        hypothesis.title if hypothesis.cause in ("healthy", "unknown") else f"{hypothesis.title} ({hypothesis.cause})"
    )


def _share(hypothesis: Hypothesis) -> str:
    return f"{probability(hypothesis.confidence):<{SHARE_COLUMN}}"


def tested(trial: Mapping[str, Any]) -> str:
    """The result of a controlled re-run."""
    parts = [f"{name} {_value(trial[name])}" for name in ("control", "treated") if name in trial]
    outcome = str(trial.get("verdict", ""))
    return f"{outcome}: {', '.join(parts)}" if outcome and parts else outcome or ", ".join(parts)


def _value(value: Any) -> str:
    return num(value) if isinstance(value, float) else str(value)
