"""Puts a diagnosis together: measure, assess, rank, explain."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

from ..causes import Cause, all_causes
from ..record import Run
from ..signs import Sign, Signs, all_signs
from ..signs.questions import FINITE, VALIDATION, rank
from ..signs.terms import terms_line
from .additional_faults import additional_faults
from .excuses import judged_signs
from .model import COST, HEALTHY, POSSIBLY, Model, Term, at_most, calibrate
from .next_tests import next_tests
from .parameters import current
from .questions import checked, not_measured, questions
from .summary import summarise, title_of
from .told import told
from .types import Advice, Contribution, Diagnosis, Hypothesis, Verdict
from .verdict import Assessment, assess

SHOWN = 5  # hypotheses in an answer
RIVALS_TOLD = 3
RIVALS = 2  # hypotheses that are always named, so that one can see what came next
NEGLIGIBLE = 0.02  # the confidence below which further hypotheses are not named
SEVERITY = {"critical": 0, "warning": 1, "info": 2}


def diagnose(run: Run, without: Collection[str] = ()) -> Diagnosis:
    """What is wrong with `run`, most likely cause first. `without`: signs that are not to be read from it."""
    signs = judged_signs(run).without(without)
    model, kind = model_for(run)
    levels = {name: sign.level for name, sign in signs.items()}
    found = _with_critical_signs(assess(model, levels, kind), signs)
    chances = _chances(model, levels, kind, found)
    scope = _out_of_scope(run, signs, clear_fault=found.seen is not None)
    verdict: Verdict = "out-of-scope" if scope else found.verdict
    (first, _), *rivals = sorted(chances.items(), key=lambda item: -item[1])
    further = dict(additional_faults(model, levels, first, kind)) if found.seen == first and not scope else {}
    if model.causes.get(first) is not None and model.causes[first].family == COST:
        first, found, chances, further = _what_hurts_first(model, first, found, chances, further)
        rivals = sorted(((n, c) for n, c in chances.items() if n != first), key=lambda item: -item[1])
    likely = [name for i, (name, chance) in enumerate(rivals) if i < RIVALS or chance >= NEGLIGIBLE]
    if kind == "told":  # statements separate causes badly: always name three
        causes = [name for name, _ in rivals if name in model.causes][: RIVALS_TOLD - (first in model.causes)]
        likely = [name for name, _ in rivals if name in causes or name in likely]
    shown = [first, *further, *(name for name in likely if name not in further)][: SHOWN + (kind == "told")]
    hypotheses = [
        replace(_hypothesis(name, chances[name], model, run, signs), beside=further.get(name)) for name in shown
    ]
    symptoms = _symptoms(signs)
    outcomes = [sign for sign in symptoms if sign.id in {*found.bad, *found.doubts}]
    loss, validation = run.series("loss/train"), run.series("loss/validation")
    return Diagnosis(
        verdict=verdict,
        summary=scope or summarise(found, hypotheses, symptoms, signs, run),
        source=run.source,
        kind=run.kind,
        steps=run.steps,
        exit=_exit(run),
        symptoms=symptoms,
        hypotheses=hypotheses,
        next_tests=[] if scope else next_tests(verdict, chances, run, found.suspected),
        step_unit=run.step_unit,
        do_now=_do_now(outcomes, run, found, further) if verdict in ("sick", "inconclusive") else [],
        suspected=found.suspected is not None and not scope,
        advice=_advice(run, signs, verdict, found.advised),
        questions=questions(signs),
        looks=_looks(signs),
        checked=checked(signs),
        not_measured=not_measured(signs, run),
        notes=_notes(run),
        terms=terms_line(run),
        loss=loss if loss else None,
        validation=validation if validation else None,
        onset=_onset(found, signs, outcomes, symptoms),
        errors=signs.errors,
        signs=dict(signs),
    )


def model_for(run: Run) -> tuple[Model, str]:
    """The model that judges this run, and the kind of run by which its confidences are calibrated."""
    if run.kind == "observed":
        return current(), "observed"
    return (told(), "told") if run.fact("told") else (current(), "log")


def _with_critical_signs(found: Assessment, signs: Signs) -> Assessment:
    """A run with a critical sign is never called healthy, whatever its level."""
    units = all_signs()
    critical = [s.id for s in signs.raised() if s.severity == "critical" and units[s.id].shows != "scope"]
    if found.verdict != "healthy" or not critical:
        return found
    return replace(found, verdict="inconclusive", doubts=tuple(critical))


def _chances(model: Model, levels: Mapping[str, float], kind: str, found: Assessment) -> dict[str, float]:
    """The hypotheses' probabilities. Once something is known to be wrong, `healthy` no longer competes."""
    causes = model.causes_given_wrong(levels, kind)
    leading = max(causes, key=lambda name: causes[name])
    if found.short and model.basis(leading, levels) == "suspected":
        causes = at_most(causes, leading, POSSIBLY)  # a short run shows little of why
    if found.verdict == "sick":
        return causes
    healthy = model.healthy_chance(levels)
    if found.verdict == "healthy":
        held = model.parameters.claims.get(kind, {}).get(HEALTHY, ())
        healthy = max(0.5, calibrate({HEALTHY: healthy, "": 1.0 - healthy}, held)[HEALTHY])
    return {HEALTHY: healthy} | {name: (1.0 - healthy) * chance for name, chance in causes.items()}


def _what_hurts_first(
    model: Model, first: str, found: Assessment, chances: dict[str, float], further: dict[str, float]
) -> tuple[str, Assessment, dict[str, float], dict[str, float]]:
    """Of two faults that were seen, the one that costs only time or memory comes second."""
    other = next((name for name in further if model.causes[name].family != COST), None)
    if other is None:
        return first, found, chances, further
    swapped = {**chances, first: chances[other], other: chances[first]}
    beside = {first: further[other], **{name: chance for name, chance in further.items() if name != other}}
    return other, replace(found, seen=other), swapped, beside


def _symptoms(signs: Signs) -> list[Sign]:
    """The raised signs, most severe first; within a severity, in the order of the questions."""
    units = all_signs()
    raised = [sign for sign in signs.raised() if sign.severity != "info" or sign.level >= 0.8]
    raised = [sign for sign in raised if units[sign.id].shows not in ("success", "setting", "excuse")]
    return sorted(raised, key=lambda sign: (SEVERITY[sign.severity], rank(units[sign.id].question), -sign.level))


def _do_now(outcomes: list[Sign], run: Run, found: Assessment, further: Collection[str]) -> list[str]:
    """What helps whatever the cause: only the most severe outcome speaks, because advice for two may conflict.

    Where a fault was seen that makes a curve meaningless, that curve says nothing about checkpoints. `further`: what
    was seen beside the leading fault.
    """
    units = all_signs()
    outcomes = [sign for sign in outcomes if not (found.short and units[sign.id].needs_time)]
    misled = {all_causes()[name].misleads for name in (found.seen, *further) if name is not None}
    if "all" in misled:
        outcomes = [sign for sign in outcomes if units[sign.id].question == FINITE]
    if "validation" in misled:
        outcomes = [sign for sign in outcomes if units[sign.id].question != VALIDATION]
    outcomes = [sign for sign in outcomes if not sign.values.get("told")]  # the advice needs measured numbers
    texts = (advise(sign, run) for sign in outcomes if (advise := units[sign.id].do_now) is not None)
    return [text for text in texts if text][:1]


def _onset(found: Assessment, signs: Signs, outcomes: list[Sign], symptoms: list[Sign]) -> int | None:
    """The step where the fault begins if it was seen, else the step where its first bad outcome begins."""
    caught = all_causes()[found.seen].seen_by if found.seen else ()
    begins = [signs[s].onset for s in caught if s in signs and signs[s].raised and signs[s].onset is not None]
    if begins:
        return min(step for step in begins if step is not None)
    return next((s.onset for s in (*outcomes, *symptoms) if s.onset is not None and s.severity != "info"), None)


def _looks(signs: Signs) -> list[str]:
    """What deep measurements found, in the order of the questions."""
    units = all_signs()
    deep = [sign for sign in signs.values() if units[sign.id].family == "deep"]
    deep = [sign for sign in deep if sign.value or units[sign.id].question != "What do experiments show?"]
    return [sign.text for sign in sorted(deep, key=lambda sign: (rank(units[sign.id].question), sign.id))]


def _exit(run: Run) -> str | None:
    status = run.facts.get("exit")
    if status == "exception":
        error = run.facts.get("error") or {}
        return str(error.get("type") or "exception")
    if status is None and run.kind == "observed":
        return "running" if run.facts.get("ended") is None else None
    return None if status is None else str(status)


def _hypothesis(name: str, chance: float, model: Model, run: Run, signs: Signs) -> Hypothesis:
    levels = {sign_id: sign.level for sign_id, sign in signs.items()}
    terms = sorted(model.terms(name, levels), key=lambda term: -abs(term.amount))
    contributions = [Contribution(t.name, t.level, t.weight, t.amount) for t in terms]
    prior = model.parameters.prior.get(name, 0.0)
    cause = model.causes.get(name)
    if cause is None:
        return Hypothesis(name, chance, title_of(name, None), contributions=contributions, prior=prior)
    return Hypothesis(
        cause=name,
        confidence=chance,
        title=cause.title,
        basis=model.basis(name, levels),
        evidence=_evidence(terms, signs),
        against=_against(cause, terms, signs),
        consequences=_consequences(cause, terms, signs),
        fix=cause.fix(run, signs),
        # Advice on what to avoid follows from a cause; if the cause is merely possible, the opposite may be right.
        avoid=cause.avoid if model.basis(name, levels) == "seen" or chance > POSSIBLY else (),
        verify=cause.verify,
        reference=cause.reference,
        contributions=contributions,
        prior=prior,
        family=cause.family,
    )


def _evidence(terms: list[Term], signs: Signs) -> list[str]:
    texts = [signs[t.name].text for t in terms if t.amount > 0.2 and t.name in signs and t.level >= 0.3]
    return list(dict.fromkeys(texts))[:6]  # one statement of a person may raise several signs


def _against(cause: Cause, terms: list[Term], signs: Signs) -> list[str]:
    """What speaks against it: opposing signs, and expected signs that were looked for and are normal."""
    opposing = [
        signs[t.name].text
        for t in terms
        if t.amount < -0.4 and t.name in signs and t.level >= 0.3 and t.name in cause.opposes
    ]
    # Required signs are alternative ways to see a cause: one of them is enough.
    met = any(sign in signs and signs[sign].raised for sign in cause.requires)
    expected = [s for s, w in sorted(cause.supports.items(), key=lambda item: -item[1]) if w >= 1.5 and s in signs]
    excused = [signs[sign].text for sign in expected if signs[sign].values.get("excused_by")]
    absent = [
        f"expected, but normal: {signs[sign].text}"
        for sign in expected
        if signs[sign].level < 0.1 and signs[sign].text not in excused and not (met and sign in cause.requires)
    ]
    for_it = set(_evidence(terms, signs))
    return [text for text in dict.fromkeys([*excused[:2], *opposing[:3], *absent[:2]]) if text not in for_it]


def _consequences(cause: Cause, terms: list[Term], signs: Signs) -> list[str]:
    """Other raised signs that this cause accounts for: those of the causes that it imitates."""
    own = {term.name for term in terms}
    imitated = [all_causes()[name] for name in cause.explains if name in all_causes()]
    found: dict[str, Sign] = {}
    for other in imitated:
        for sign in other.supports:
            if sign in signs and signs[sign].raised and sign not in own:
                found[sign] = signs[sign]
    return [sign.text for sign in found.values()][:4]


def _advice(run: Run, signs: Signs, verdict: Verdict, advised: str | None) -> list[Advice]:
    """`advised`: the cause that costs a healthy run part of what it could gain."""
    advice = []
    if advised is not None:
        cause = all_causes()[advised]
        advice.append(Advice(advised, f"{cause.title}. {cause.fix(run, signs).summary}"))
    for name, cause in all_causes().items():
        if not cause.advisory:
            continue
        strongest = max((signs[s].level * w for s, w in cause.supports.items() if s in signs), default=0.0)
        required = all(signs[s].raised for s in cause.requires if s in signs) and any(
            s in signs for s in cause.requires
        )
        if strongest >= 1.0 and (required or not cause.requires):
            advice.append(Advice(name, f"{cause.title}. {cause.fix(run, signs).summary}"))
    return advice if verdict != "out-of-scope" else []


def _notes(run: Run) -> list[str]:
    log = run.facts.get("log")
    notes: list[str] = []
    if isinstance(log, dict):
        columns = log.get("columns") or {}
        if columns:
            # The column that counts the steps may be the epoch column: name it once.
            roles = [
                (role, column) for role, column in columns.items() if (role, column) != ("epoch", columns.get("step"))
            ]
            taken = ", ".join(f"{column} as {role}" for role, column in roles[:6])
            notes.append(f"columns read: {taken}")
        notes += [str(note) for note in (log.get("notes") or [])][:4]
    off = run.facts.get("observers_off")
    if isinstance(off, dict):
        notes += [f"not observed: {name} ({reason})" for name, reason in off.items()]
    notes += [str(sentence) for sentence in (run.facts.get("not_visible") or [])]
    return notes


def _out_of_scope(run: Run, signs: Signs, clear_fault: bool) -> str | None:
    """One sentence, where this run is not for us to diagnose; else None."""
    never = signs.get("never-trained")
    crash = signs.get("crash-infrastructure")
    # A crash hides nothing that was seen before it: a clear fault is still the diagnosis.
    if crash is not None and crash.raised and not clear_fault:
        return crash.text
    learning = signs.get("reinforcement-learning")
    if learning is not None and learning.raised:
        return learning.text
    if never is not None and never.raised and not clear_fault:
        return never.text
    if run.kind not in ("observed", "interview") and not run.series("loss/train") and not run.series("loss/validation"):
        return "This log holds no loss, so there is nothing to judge: log the training loss, or use traindx run."
    return None
