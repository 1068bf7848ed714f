"""The diagnosis as Markdown for an issue, a notebook or a chat. No list is shortened."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from ..diagnosis import Diagnosis, Hypothesis
from ..wording import clean, counted, probability
from ._change import change, is_diff
from ._hypotheses import BASIS, NEGLIGIBLE, SAFETY, solved, stands_out, tested
from ._look import Look
from ._treatment import lines as treatment_lines
from ._why import why
from .layout import Page

SUFFIXES = (".md", ".markdown")


def render(diagnosis: Diagnosis, look: Look) -> str:
    verdict = "suspected" if diagnosis.suspected else diagnosis.verdict.replace("-", " ")
    lines = [
        f"# {verdict.capitalize()}: {prose(diagnosis.summary)}",
        "",
        f"{code(diagnosis.source)} ({prose(diagnosis.kind)}, {counted(diagnosis.steps, diagnosis.step_unit)})",
        *_list("Do now", diagnosis.do_now),
        *_list("Terms of the loss", [diagnosis.terms] if diagnosis.terms else []),
        *(_list("Treated", list(treatment_lines(diagnosis.treatment))) if diagnosis.treatment else ()),
        *_symptoms(diagnosis),
        *_questions(diagnosis),
        *_cause(diagnosis),
        *_others(diagnosis),
        *_list("Similar case", [solved(diagnosis.similar)] if diagnosis.similar else []),
        *_list("Deeper looks", diagnosis.looks),
        *_list("Advice", [f"{advice.text} (`{advice.cause}`)" for advice in diagnosis.advice]),
        *_list("How the input was read", diagnosis.notes),
        *_next(diagnosis),
        *(_arithmetic(diagnosis, look) if look.why else ()),
    ]
    return "\n".join(lines)


def render_all(diagnoses: Sequence[Diagnosis], look: Look) -> str:
    return "\n\n---\n\n".join(render(diagnosis, look) for diagnosis in diagnoses)


def _symptoms(diagnosis: Diagnosis) -> Iterator[str]:
    items = []
    for sign in diagnosis.symptoms:
        onset = "" if sign.onset is None else f", from {diagnosis.step_unit} {sign.onset}"
        items.append(f"- **{sign.severity}**{onset}: {prose(sign.text)} (`{sign.id}`)")
    yield from _section("Symptom", items or ["None."])


def _questions(diagnosis: Diagnosis) -> Iterator[str]:
    items = [f"- {prose(asked.question)} **{prose(asked.finding)}**" for asked in diagnosis.questions]
    items += [f"- Not measured: {prose(text)}" for text in diagnosis.not_measured]
    if items:
        yield from _section("Questions and findings", items)


def _cause(diagnosis: Diagnosis) -> Iterator[str]:
    """The leading cause in full, if one stands out."""
    if not _told_in_full(diagnosis):
        return
    leading = diagnosis.leading
    category = [f"- Category: {prose(leading.family)}"] if leading.family else []
    yield from _section(
        "Root cause",
        [
            *category,
            f"- Fault: **{prose(leading.title)}** (`{leading.cause}`), {probability(leading.confidence)}, "
            f"{BASIS[leading.basis]}",
            *(f"- Evidence: {prose(text)}" for text in leading.evidence),
            *(f"- Against it: {prose(text)}" for text in leading.against),
            *(f"- Follows from it: {prose(text)}" for text in leading.consequences),
            *([f"- Tested: {prose(tested(leading.trial))}"] if leading.trial else []),
        ],
    )
    yield from _fix(leading)
    yield from _list("What NOT to do", leading.avoid)
    if leading.reference:
        yield from _section("Reference", [prose(leading.reference)])
    for fault in diagnosis.additional:
        lines = [f"**{prose(fault.title)}** (`{fault.cause}`), {BASIS[fault.basis]}", ""]
        yield from _section("Additional fault, to fix next", [*lines, *(f"- {prose(text)}" for text in fault.evidence)])
        yield from _fix(fault)


def _told_in_full(diagnosis: Diagnosis) -> bool:
    told = diagnosis.verdict == "sick" or diagnosis.suspected
    return told and bool(diagnosis.hypotheses) and stands_out(diagnosis.leading)


def _fix(leading: Hypothesis) -> Iterator[str]:
    fix = leading.fix
    if fix:
        place = f"{code(str(fix.location))}: " if fix.location else ""
        block = ["", *fenced(lines, "diff" if is_diff(fix) else "python")] if (lines := change(fix)) else []
        yield from _section("Fix", [f"{place}{prose(fix.summary)} ({SAFETY[fix.safety]})", *block])
    if leading.verify:
        yield from ["", f"To verify: {prose(leading.verify)}"] if fix else _section("Verify", [prose(leading.verify)])


def _others(diagnosis: Diagnosis) -> Iterator[str]:
    rest = diagnosis.hypotheses[1:] if _told_in_full(diagnosis) else diagnosis.hypotheses
    rows = [
        f"| {probability(other.confidence)} | {cell(other.title)} (`{other.cause}`) "
        f"| {cell(_together(other.evidence))} |"
        for other in rest
        if other.confidence >= NEGLIGIBLE and other.beside is None
    ]
    if rows:
        title = "Alternatives" if _told_in_full(diagnosis) else "Possible causes"
        yield from _section(title, ["| confidence | cause | evidence |", "|---|---|---|", *rows])


def _next(diagnosis: Diagnosis) -> Iterator[str]:
    for i, test in enumerate(diagnosis.next_tests):
        purpose = test.why or (f"Tells apart: {', '.join(test.settles)}" if test.settles else "")
        lines = [*fenced([test.command], "sh"), *(["", prose(purpose)] if purpose else [])]
        yield from _section("Next", lines) if i == 0 else ["", *lines]


def _arithmetic(diagnosis: Diagnosis, look: Look) -> Iterator[str]:
    page = Page(replace(look, colour=False))
    why(page, diagnosis)
    yield from _section("Why", fenced(str(page).splitlines(), ""))


def _list(title: str, texts: Sequence[str]) -> Iterator[str]:
    if texts:
        yield from _section(title, [f"- {prose(text)}" for text in texts])


def _section(title: str, lines: Sequence[str]) -> Iterator[str]:
    yield from ["", f"## {title}", "", *lines]


def prose(text: str) -> str:
    """Text escaped so that Markdown shows it unchanged. Spans between backticks remain code."""
    flat = " ".join(clean(text).split())
    parts = re.split(r"(`[^`]+`)", flat)  # every second part is a code span
    return "".join(part if i % 2 else _escaped(part) for i, part in enumerate(parts))


def _together(texts: Sequence[str]) -> str:
    """Several sentences, with or without a full stop, joined for one cell."""
    return "; ".join(text.rstrip(".") for text in texts)


def _escaped(text: str) -> str:
    """Escape only what Markdown would interpret. An underscore inside a word is harmless and stays."""
    text = re.sub(r"([\\*<`]|~(?=~)|(?<![^\W_])_|_(?![^\W_])|\[(?=[^\]]*\]\()|&(?=#?\w+;))", r"\\\1", text)
    return re.sub(r"^([#>+-]|\d+(?=[.)]))", lambda start: _at_start(start[0]), text)


def _at_start(mark: str) -> str:
    # A number would start a list; escape the character after it.
    return f"{mark}\\" if mark.isdigit() else f"\\{mark}"


def cell(text: str) -> str:
    return prose(text).replace("|", r"\|")


def code(text: str) -> str:
    """A code span that works for any backticks in the text."""
    flat = " ".join(clean(text).split())
    ticks = "`" * (1 + max((len(run) for run in re.findall("`+", flat)), default=0))
    pad = " " if flat.startswith("`") or flat.endswith("`") or not flat else ""
    return f"{ticks}{pad}{flat}{pad}{ticks}"


def fenced(lines: Sequence[str], language: str) -> list[str]:
    longest = max((len(run) for line in lines for run in re.findall("`+", line)), default=0)
    fence = "`" * max(3, longest + 1)
    return [f"{fence}{language}", *(clean(line) for line in lines), fence]
