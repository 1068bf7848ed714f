"""What an answer says of causes, conditions and trials, in sections and sentences."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..causes import Fix
from ..conditions import Finding, Remedy
from ..diagnosis import Diagnosis, Hypothesis, SimilarCase, Treatment, TrialReport, how_often
from ..wording import apart, by_experiment, lowered, num, probability, sentence
from ._sections import Entry, Section, fix_entry, lines

NEGLIGIBLE = 0.01  # less likely causes ("<1 %") are not shown
POSSIBLE = 0.05  # nor, as possible causes of a sick run, those below this
STANDS_OUT = 0.25
BASIS = {
    "seen": "seen directly",
    "measured": "measured",
    "suspected": "suspected from its effects",
    "refuted": "refuted by experiment",
}


def stands_out(leading: Hypothesis) -> bool:
    """Whether the answer shows this cause in full. If not, it lists several possible causes."""
    return leading.cause not in ("healthy", "unknown") and leading.confidence >= STANDS_OUT


def told_in_full(diagnosis: Diagnosis) -> bool:
    named = (diagnosis.verdict == "sick" or diagnosis.suspected) and diagnosis.headline.kind != "condition"
    return named and bool(diagnosis.hypotheses) and stands_out(foremost(diagnosis))


def foremost(diagnosis: Diagnosis) -> Hypothesis:
    """The leading cause, apart from those that only repeat a condition."""
    return next((h for h in diagnosis.hypotheses if h.basis != "measured"), diagnosis.leading)


def basis(hypothesis: Hypothesis) -> str:
    """How the cause is known; empty for what is no cause."""
    if hypothesis.cause in ("healthy", "unknown"):
        return ""
    return by_experiment(hypothesis.confidence) if hypothesis.basis == "proven" else BASIS[hypothesis.basis]


def cause(diagnosis: Diagnosis) -> list[Section]:
    """The leading cause: the fix, what to avoid, how to verify it, and why."""
    found = foremost(diagnosis)
    return [
        Section("FIX", [fix_entry(found.fix)] if found.fix else [], apart=True),
        Section("VERIFY", lines([found.verify] if found.verify else [], "")),
        Section("AVOID", lines(found.avoid), 2, "warning"),
        Section("CAUSE", [Entry(f"{_name(found)}, {basis(found)}", _share(found))], apart=True),
        Section("EVIDENCE", lines(found.evidence, "+ "), 4, "observation"),
        Section("AGAINST", lines(found.against), 2, "objection"),
        Section("TESTED", lines([tested(found.trial)] if found.trial else [], "")),
        Section("FOLLOWS", lines(found.consequences), 2, "consequence"),
        Section("REFERENCE", lines([found.reference] if found.reference else [], ""), 0),
    ]


def additional(diagnosis: Diagnosis) -> list[Section]:
    """Further faults beside the leading one, each with its evidence and its fix."""
    found = []
    for fault in diagnosis.additional:
        todo = "the same patch removes it" if fault.basis == "proven" else "fix it next"
        entry = Entry(f"{_name(fault)}, {basis(fault)}: {todo}", below=fault.evidence[:2])
        fix = [fix_entry(fault.fix)] if fault.fix else []
        found += [Section("ALSO", [entry], apart=True), Section("ITS FIX", fix)]
    return found


def alternatives(diagnosis: Diagnosis) -> list[Section]:
    """Less likely causes, each with its best evidence."""
    leading = foremost(diagnosis)
    rest = [h for h in diagnosis.hypotheses if h is not leading and h.basis != "measured" and h.beside is None]
    likely = [h for h in rest if h.confidence >= NEGLIGIBLE]
    entries = [Entry(_name(h) + (f": {h.evidence[0]}" if h.evidence else ""), _share(h)) for h in likely]
    return [Section("ALTERNATIVES", entries, 3, "alternative", apart=True)]


def candidates(diagnosis: Diagnosis) -> list[Section]:
    """Several possible causes of which none stands out, each with its best evidence."""
    least = POSSIBLE if diagnosis.verdict == "sick" else NEGLIGIBLE
    known = [h for h in diagnosis.hypotheses if h.confidence >= least]
    entries = [Entry(_name(h), _share(h), below=h.evidence[:2]) for h in known]
    if diagnosis.verdict == "sick" and diagnosis.hypotheses and not any(h.cause != "unknown" for h in known):
        entries = [Entry("unknown: no fault stands out.")]
    return [Section("POSSIBLE", entries, 4, "possible cause", apart=True)]


def short(hypothesis: Hypothesis) -> list[Section]:
    """A cause and its fix, for reports that are about something else."""
    named = Entry(f"{_name(hypothesis)}, {basis(hypothesis)}", _share(hypothesis))
    fix = [fix_entry(hypothesis.fix)] if hypothesis.fix else []
    return [Section("CAUSE", [named], apart=True), Section("FIX", fix)]


def solved(case: SimilarCase) -> str:
    """One sentence about a similar case that was solved earlier."""
    return f"{case.script} ({case.date}) had {case.cause}, {case.verdict} by: {sentence(case.fix)} {case.effect}."


def _name(hypothesis: Hypothesis) -> str:
    named = hypothesis.cause not in ("healthy", "unknown")
    return f"{hypothesis.title} ({hypothesis.cause})" if named else hypothesis.title


def _share(hypothesis: Hypothesis) -> str:
    return f"{probability(hypothesis.confidence):<7}"


def tested(trial: Mapping[str, Any]) -> str:
    """The result of a controlled re-run."""
    arms = [(name, trial[name]) for name in ("control", "treated") if name in trial]
    values = [value for _, value in arms]
    if len(values) == 2 and all(isinstance(value, float) for value in values):
        shown = list(apart(*values))
    else:
        shown = [num(value) if isinstance(value, float) else str(value) for value in values]
    parts = [f"{name} {text}" for (name, _), text in zip(arms, shown, strict=True)]
    outcome = str(trial.get("verdict", ""))
    return f"{outcome}: {', '.join(parts)}" if outcome and parts else outcome or ", ".join(parts)


BEHIND = 0.05  # less likely faults are not named
ONE_STANDS_OUT = 0.1  # nor any, where not even the likeliest reaches this
LIKELY = 0.5  # the confidence from which the fault behind a condition is shown with its fix
MOST = 3


def leading(diagnosis: Diagnosis) -> Finding:
    """The condition that the headline names."""
    return next((found for found in diagnosis.conditions if found.id == diagnosis.headline.id), diagnosis.conditions[0])


def condition(diagnosis: Diagnosis) -> list[Section]:
    """The leading condition in full, then the others, then the faults that may lie behind it."""
    found = leading(diagnosis)
    patched = patched_fault(diagnosis)
    moves = remedies_of(remedies(diagnosis))
    placed = placed_fix(diagnosis)
    what = [
        Section("FIX", [fix_entry(placed)] if placed else [], apart=True),
        Section("REMEDIES", moves, noun="move", apart=True),
        Section("AVOID", lines(found.avoid), 2, "warning"),
    ]
    why = [
        Section("EVIDENCE", lines(found.evidence, "+ "), 2, "observation"),
        *beside([other for other in diagnosis.conditions if other is not found], found),
    ]
    faults_behind = Section("BEHIND IT", behind(diagnosis, found, explained=placed is not None), apart=True)
    # A patch for the fault that most likely lies behind it comes before what helps in general.
    return [faults_behind, *what, *why] if patched else [*what, *why, faults_behind]


def patched_fault(diagnosis: Diagnosis) -> Hypothesis | None:
    """The fault that most likely lies behind the condition, where it comes with a patch."""
    likely = likely_fault(diagnosis)
    return likely if likely is not None and likely.fix is not None and likely.fix.patch else None


def placed_fix(diagnosis: Diagnosis) -> Fix | None:
    """The fix of the fault that means the same as the leading condition, where the line to change is known.

    None beside the patch of a likely fault: two patches would contradict each other.
    """
    if patched_fault(diagnosis) is not None:
        return None
    own = [h.fix for h in diagnosis.hypotheses if h.basis == "measured" and h.cause == leading(diagnosis).cause]
    return next((fix for fix in own if fix is not None and fix.location is not None), None)


def remedies(diagnosis: Diagnosis) -> list[Remedy]:
    """The standard moves against the leading condition that go with the fix that is shown.

    A move that the patch makes already, perhaps with another number, is left out; beside a fix of the condition itself,
    so are moves against faults that only may lie behind it.
    """
    patched, placed = patched_fault(diagnosis), placed_fix(diagnosis)
    moves = leading(diagnosis).remedies
    if placed is not None:
        return [move for move in moves if not move.treats]
    return [move for move in moves if patched is None or move.treats != patched.cause]


def remedies_of(moves: Sequence[Remedy]) -> list[Entry]:
    """The standard moves in their order, each with what shows that it worked."""
    return [
        Entry(f"{remedy.text} {worked(remedy.verify)}".rstrip(), f"{i}. ", (remedy.code or "").splitlines())
        for i, remedy in enumerate(moves, 1)
    ]


def worked(verify: str) -> str:
    return f"It worked if: {lowered(verify)}" if verify else ""


def beside(rest: Sequence[Finding], found: Finding | None = None) -> list[Section]:
    """The other conditions with what shows them; those that only follow from the leading one by name."""
    following = [other.title for other in rest if found is not None and other.follows_from]
    own = [other for other in rest if other.evidence and other.title not in following]
    entries = [Entry(f"{other.title}: {lowered(other.evidence[0])}") for other in own]
    if following:
        names = "; ".join([following[0], *map(lowered, following[1:])])
        entries.append(Entry(f"{names} (follow{'s' if len(following) == 1 else ''} from it)."))
    return [Section("ALSO", entries, noun="condition")]


def behind(diagnosis: Diagnosis, found: Finding, explained: bool) -> list[Entry]:
    """The faults that may lie behind the leading condition, most likely first. `explained`: it is a fault itself."""
    entries = [
        Entry(
            f"{hypothesis.title} ({hypothesis.cause}){counted_cases(diagnosis, found, hypothesis)}",
            f"{probability(hypothesis.confidence):<6}",
            below=hypothesis.evidence[:1],
        )
        for hypothesis in faults(diagnosis)
    ]
    first = likely_fault(diagnosis)
    if first is not None and first.fix is not None:
        told = f"{entries[0].text}: "
        entries[0] = replace(fix_entry(first.fix, told), mark=entries[0].mark, below=entries[0].below)
    return entries or ([] if explained or diagnosis.verdict == "healthy" else [Entry("unknown: no fault stands out.")])


def faults(diagnosis: Diagnosis) -> list[Hypothesis]:
    no_fault = {"healthy", "unknown", *(condition.cause for condition in diagnosis.conditions)}
    known = [h for h in diagnosis.hypotheses if h.cause not in no_fault]
    likely = [h for h in known if h.confidence >= BEHIND or h.beside is not None][:MOST]
    return likely if likely and likely[0].confidence >= ONE_STANDS_OUT else []


def likely_fault(diagnosis: Diagnosis) -> Hypothesis | None:
    """The fault behind the condition, where it is likelier than not."""
    return next((h for h in faults(diagnosis)[:1] if h.confidence >= LIKELY), None)


def counted_cases(diagnosis: Diagnosis, found: Finding, hypothesis: Hypothesis) -> str:
    """How often public cases had it, where that is what the probability comes from."""
    if diagnosis.kind == "observed":
        return ""
    cases = how_often(found.id, hypothesis.cause, *found.beside)
    return f", found in {cases[0]} of {cases[1]} cases like this" if cases and cases[0] else ""


HEADS = {
    "cured": ("CURED", "green"),
    "proven": ("PROVEN", "green"),
    "helped": ("HELPED", "yellow"),
    "no-proven-fix": ("NO PROVEN FIX", "yellow"),
    "nothing-to-treat": ("NOTHING TO TREAT", "green"),
    "not-treatable": ("NOT TREATABLE", "yellow"),
}
LARGEST = -0.95  # larger relative improvements are shown as "at least 95 % lower"
VERDICTS = {"no-change": "no change"}
CONFIRMED = {
    True: "The patched script was run once in place of your file, isolated, and behaves like the trial.",
    False: "The patched script was run once and does NOT behave like the trial: check it before you apply it.",
}
CONFIRMED_ARGUMENT = {
    True: "Your script was run once with the changed argument, isolated, and behaves like the trial.",
    False: "Your script was run once with the changed argument and does NOT behave like the trial.",
}


def treated(treatment: Treatment, headline: str = "") -> list[Section]:
    """The verdict of the trials, one line for each trial, and their cost. `headline` is already told."""
    shown = treatment.verdict == "not-treatable" and treatment.cause is not None  # an experiment has proven the cause
    word, style = HEADS["proven" if shown else treatment.verdict]
    confirmed = confirmation(treatment)
    said = word if treatment.text in headline else f"{word}: {treatment.text}"
    return [
        Section("TREATED", [Entry(said, style=style)], apart=True),
        Section("TRIALS", lines(trial_line(trial) for trial in treatment.trials), 6),
        Section("RULED OUT", lines(treatment.rules_out), 4),
        Section(
            "CONFIRMED" if treatment.confirmed_by_patched_run else "NOT CONFIRMED",
            lines([confirmed] if confirmed else [], ""),
        ),
        Section("NOTE", lines(treatment.notes), 4),
        Section("COST", lines([cost(treatment)] if treatment.trials else [], "")),
    ]


def trial_line(trial: TrialReport) -> str:
    if trial.experiment:
        return f"{trial.title} ({trial.cause}): {trial.note}"
    verdict = VERDICTS.get(trial.verdict, trial.verdict)
    head = f"{trial.title}: {trial.dose} ({trial.cause}): {verdict}"
    note = f" ({trial.note})" if trial.note else ""
    effect = trial.effect
    if not trial.seeds:
        return f"{head}{note}"
    moved = f"{effect.measure} {' -> '.join(apart(effect.control, effect.treated))}"
    comparable = math.isfinite(effect.control) and math.isfinite(effect.treated) and effect.measure != "loss-free score"
    if comparable and effect.interval is not None and effect.change is not None:
        moved += _change(effect.change, *effect.interval)
    return f"{head}{note}; {moved}, {trial.seeds} {'seed' if trial.seeds == 1 else 'seeds'}"


def confirmation(treatment: Treatment) -> str | None:
    """What a run with the fix applied shows; None if there was no such run."""
    confirmed = treatment.confirmed_by_patched_run
    return None if confirmed is None else (CONFIRMED if treatment.patch else CONFIRMED_ARGUMENT)[confirmed]


def _change(change: float, low: float, high: float) -> str:
    """The relative change with its interval, or only a bound if it is very large."""
    if change <= LARGEST:
        return f", at least {-100 * LARGEST:.0f} % lower"
    return f", {100 * change:+.0f} % (95 % interval {100 * low:+.0f} % to {100 * high:+.0f} %)"


def cost(treatment: Treatment) -> str:
    minutes = f"{treatment.seconds / 60:.1f} min" if treatment.seconds >= 90 else f"{treatment.seconds:.0f} s"
    controls = "one control" if treatment.control_runs == 1 else f"{treatment.control_runs} controls"
    return f"{minutes}, runs of {treatment.steps} steps, {controls}"
