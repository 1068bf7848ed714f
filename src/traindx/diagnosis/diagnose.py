"""Puts a diagnosis together: measure, rank, explain."""

from __future__ import annotations

from dataclasses import replace

from ..causes import Cause, all_causes
from ..record import Run
from ..signs import Sign, Signs, measure_all
from .model import Model, Term
from .next_tests import next_tests
from .parameters import current
from .questions import checked, not_checked, questions
from .scope import out_of_scope
from .several import further_faults
from .summary import summarise, title_of
from .types import Advice, Contribution, Diagnosis, Hypothesis, Verdict
from .verdict import decide

SHOWN = 5  # hypotheses in an answer
RIVALS = 2  # that are named in any case, so that one can see what came next
NEGLIGIBLE = 0.02  # confidence below which others are not


def diagnose(run: Run) -> Diagnosis:
    """What is wrong with `run`, most likely cause first."""
    signs = measure_all(run)
    model = current()
    kind = "observed" if run.kind == "observed" else "log"
    levels = {name: sign.level for name, sign in signs.items()}
    chances = model.probabilities(levels, kind)
    scope = out_of_scope(run, signs, chances)
    verdict: Verdict = "out-of-scope" if scope else decide(chances, levels, kind)
    (first, _), *rivals = sorted(chances.items(), key=lambda item: -item[1])
    further = dict(further_faults(model, levels, first, kind)) if verdict == "sick" and first in model.causes else {}
    likely = [name for i, (name, chance) in enumerate(rivals) if i < RIVALS or chance >= NEGLIGIBLE]
    shown = [first, *further, *(name for name in likely if name not in further)][:SHOWN]
    hypotheses = [
        replace(_hypothesis(name, chances[name], model, run, signs), beside=further.get(name)) for name in shown
    ]
    symptoms = sorted(
        (sign for sign in signs.raised() if sign.severity != "info" or sign.level >= 0.8),
        key=lambda sign: ({"critical": 0, "warning": 1, "info": 2}[sign.severity], -sign.level),
    )
    loss, validation = run.series("loss/train"), run.series("loss/validation")
    return Diagnosis(
        verdict=verdict,
        summary=scope or summarise(verdict, hypotheses, signs, run),
        source=run.source,
        kind=run.kind,
        steps=run.steps,
        exit=_exit(run),
        symptoms=symptoms,
        hypotheses=hypotheses,
        next_tests=[] if scope else next_tests(verdict, chances, run),
        advice=_advice(run, signs, verdict),
        questions=questions(signs),
        looks=_looks(signs),
        checked=checked(signs),
        not_checked=not_checked(signs, run),
        notes=_notes(run),
        loss=loss if loss else None,
        validation=validation if validation else None,
        onset=next((s.onset for s in symptoms if s.onset is not None and s.severity != "info"), None),
        signs=dict(signs),
    )


def _looks(signs: Signs) -> list[str]:
    """In the order in which one would ask: the step, its surroundings, the batch, the modes, the spikes."""
    order = ("minimum-ahead", "steps-make-worse", "beyond-stability-edge", "at-saddle", "noise-scale-at-end",
             "modes-disagree", "spike-from-data", "spike-from-step")  # fmt: skip
    return [
        signs[name].text for name in order if name in signs and not (name.startswith("spike") and not signs[name].value)
    ]


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
        seen=model.seen_level(name, levels) >= 0.5,
        evidence=_evidence(terms, signs),
        against=_against(cause, terms, signs),
        consequences=_consequences(cause, terms, signs),
        fix=cause.fix(run, signs),
        avoid=cause.avoid,
        verify=cause.verify,
        reference=cause.reference,
        contributions=contributions,
        prior=prior,
        family=cause.family,
    )


def _evidence(terms: list[Term], signs: Signs) -> list[str]:
    return [signs[t.name].text for t in terms if t.amount > 0.2 and t.name in signs and t.level >= 0.3][:6]


def _against(cause: Cause, terms: list[Term], signs: Signs) -> list[str]:
    """What speaks against it: opposing signs, and expected signs that were looked for and are normal."""
    opposing = [signs[t.name].text for t in terms if t.amount < -0.4 and t.name in signs and t.level >= 0.3]
    # What a cause requires are ways to see it: one of them will do.
    met = any(sign in signs and signs[sign].raised for sign in cause.requires)
    absent = [
        f"expected, but normal: {signs[sign].text}"
        for sign, weight in sorted(cause.supports.items(), key=lambda item: -item[1])
        if weight >= 1.5 and sign in signs and signs[sign].level < 0.1 and not (met and sign in cause.requires)
    ]
    return [*opposing[:3], *absent[:2]]


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


def _advice(run: Run, signs: Signs, verdict: Verdict) -> list[Advice]:
    advice = []
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
            taken = ", ".join(f"{column} as {role}" for role, column in list(columns.items())[:6])
            notes.append(f"columns taken: {taken}")
        notes += [str(note) for note in (log.get("notes") or [])][:4]
    off = run.facts.get("observers_off")
    if isinstance(off, dict):
        notes += [f"not observed: {name} ({reason})" for name, reason in off.items()]
    notes += [str(sentence) for sentence in (run.facts.get("not_visible") or [])]
    return notes
