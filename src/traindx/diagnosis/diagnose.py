"""Puts a diagnosis together: measure, assess, rank, explain."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace

from ..causes import Cause, all_causes, in_words_of
from ..conditions import Finding, all_conditions, dismissed, established
from ..facts import facts_of
from ..record import Run
from ..signs import Sign, Signs, all_signs, measure_all
from ..signs.questions import FINITE, VALIDATION, rank
from ..signs.terms import terms_line
from .additional_faults import additional_faults
from .behind import behind, score_behind
from .model import COST, HEALTHY, QUESTION, UNKNOWN, Model, Term
from .next_tests import call_of, next_tests
from .parameters import current
from .questions import checked, not_measured, questions
from .summary import PROBABLE, summarise, title_of
from .types import Advice, Contribution, Diagnosis, Headline, Hypothesis, Verdict
from .verdict import STRONG, Assessment, advised_condition, assess, in_time, leading_condition, with_conditions

SHOWN = 5  # hypotheses in an answer
RIVALS = 2  # hypotheses that are always named, so that one can see what came next
NEGLIGIBLE = 0.02  # the confidence below which further hypotheses are not named
SEVERITY = {"critical": 0, "warning": 1, "info": 2}


def diagnose(run: Run, without: Collection[str] = ()) -> Diagnosis:
    """What is wrong with `run`, most likely cause first. `without`: signs that are not to be read from it."""
    signs = measure_all(run).without(without)
    model, kind = model_for(run)
    levels = {name: sign.level for name, sign in signs.items()}
    assessed = _with_critical_signs(assess(model, levels, kind), signs)
    conditions = [_in_words_of(run, found) for found in in_time(assessed, established(run, signs))]
    harmless = dismissed(run, signs)
    found = with_conditions(assessed, conditions, kind, model.healthy_chance(levels), harmless)
    if run.kind == "recorded":  # its layers are measured: a clear fault of them is not outweighed by a falling loss
        found = _with_critical_signs(found, signs)
    lost = signs.level("rank-lost")
    if lost and found.verdict == "healthy":
        found = replace(found, verdict="inconclusive")
    leading = leading_condition(found, conditions)
    chances = _chances(model, levels, kind, found, leading)
    scope = _out_of_scope(
        run, signs, clear_fault=found.seen is not None or (kind != "observed" and _outweighs_crash(leading, signs))
    )
    verdict: Verdict = "out-of-scope" if scope else found.verdict
    (first, _), *rivals = sorted(chances.items(), key=lambda item: -item[1])
    further = dict(additional_faults(model, levels, first)) if found.seen == first and not scope else {}
    if model.causes.get(first) is not None and model.causes[first].family == COST:
        first, found, chances, further = _what_hurts_first(model, first, found, chances, further)
        rivals = sorted(((n, c) for n, c in chances.items() if n != first), key=lambda item: -item[1])
    likely = [name for i, (name, chance) in enumerate(rivals) if i < RIVALS or chance >= NEGLIGIBLE]
    shown = [first, *further, *(name for name in likely if name not in further)][:SHOWN]
    hypotheses = [
        replace(_hypothesis(name, chances[name], model, run, signs), beside=further.get(name)) for name in shown
    ]
    if leading is not None and _by_rates(kind, found, leading):
        hypotheses = [_with_rates(h, leading, model, levels) for h in hypotheses]
    hypotheses = _with_measured(
        hypotheses, conditions, found, run, lambda name: _hypothesis(name, 0.0, model, run, signs)
    )
    symptoms = _symptoms(signs)
    outcomes = [sign for sign in symptoms if sign.id in {*found.bad, *found.doubts}]
    loss, validation = run.series("loss/train"), run.series("loss/validation")
    return Diagnosis(
        verdict=verdict,
        summary=scope or summarise(found, hypotheses, conditions, symptoms, signs, run),
        source=run.source,
        kind=run.kind,
        steps=run.steps,
        exit=_exit(run),
        symptoms=symptoms,
        hypotheses=hypotheses,
        next_tests=[] if scope else next_tests(verdict, chances, run, found.suspected),
        headline=_headline(found, hypotheses, leading or advised_condition(found, conditions), scope),
        conditions=[] if scope else conditions,
        step_unit=run.step_unit,
        do_now=_do_now(_in_the_lead(outcomes, conditions), run, found, further)
        if verdict in ("sick", "inconclusive")
        else [],
        suspected=found.suspected is not None and not scope,
        advice=_advice(run, signs, verdict, found.advised),
        questions=questions(signs),
        looks=_looks(signs),
        checked=checked(signs),
        not_measured=not_measured(signs, run),
        notes=_notes(run),
        facts=facts_of(run, signs),
        terms=terms_line(run),
        loss=loss if loss else None,
        validation=validation if validation else None,
        onset=leading.onset
        if leading and leading.onset is not None and found.seen is None
        else _onset(found, signs, outcomes, symptoms),
        errors=signs.errors,
        signs=dict(signs),
    )


def model_for(run: Run) -> tuple[Model, str]:
    """The model that judges this run, and the kind of run by which its confidences are calibrated."""
    model = current()
    causes = {name: cause for name, cause in model.causes.items() if cause.possible(run)}
    return Model(causes, model.parameters), "observed" if run.kind == "observed" else "log"


def _with_critical_signs(found: Assessment, signs: Signs) -> Assessment:
    """A run with a critical sign is never called healthy, whatever its level."""
    units = all_signs()
    critical = [s.id for s in signs.raised() if s.severity == "critical" and units[s.id].shows != "scope"]
    if found.verdict != "healthy" or not critical:
        return found
    return replace(found, verdict="inconclusive", doubts=tuple(critical))


def _headline(
    found: Assessment, hypotheses: Sequence[Hypothesis], leading: Finding | None, scope: str | None
) -> Headline:
    """The answer in one id."""
    if scope:
        return Headline("out-of-scope", None, 1.0)
    first = hypotheses[0]
    if found.seen is not None:
        return Headline("fault", found.seen, first.confidence)
    if leading is not None and (found.verdict == "sick" or found.suspected is None):
        return Headline("condition", leading.id, leading.confidence, leading.onset)
    if found.suspected is not None:
        return Headline("suspicion", found.suspected, first.confidence)
    if found.verdict == "healthy":
        return Headline("healthy", None, first.confidence)
    return Headline("unclear", None, first.confidence)


def _with_measured(
    hypotheses: list[Hypothesis],
    conditions: Sequence[Finding],
    found: Assessment,
    run: Run,
    make: Callable[[str], Hypothesis],
) -> list[Hypothesis]:
    """A cause that means the same as a condition is as sure as the condition, and stands before what is suspected.

    Unless that lies behind it.
    """
    if found.verdict == "healthy":
        return hypotheses
    known = all_causes()
    named = [c for c in conditions if c.cause in known and c.follows_from is None and c.cause != found.seen]
    measured = [
        replace(make(c.cause), confidence=c.confidence, basis="measured", evidence=c.evidence)
        for c in named
        if c.cause is not None
    ]
    rest = [h for h in hypotheses if h.cause not in {m.cause for m in measured}]
    if found.seen is not None:
        return [
            *rest[:1],
            *(h for h in rest[1:] if h.beside is not None),
            *measured,
            *(h for h in rest[1:] if h.beside is None),
        ]
    first = leading_condition(found, conditions) if found.suspected is None or found.verdict == "sick" else None
    leader = first.cause if first is not None else found.suspected
    leads = [m for m in measured if m.cause == leader]
    if first is not None and leads and _lies_behind(hypotheses[0], first, run):
        return [hypotheses[0], *leads, *rest[1:], *(m for m in measured if m not in leads)]
    return [*leads, *rest, *(m for m in measured if m not in leads)]


def _lies_behind(suspect: Hypothesis, condition: Finding, run: Run) -> bool:
    """Whether a fault was named, against all others, that accounts for what training is in: dead units are its effect.

    What validation shows is no effect of how the steps were made.
    """
    named = suspect.confidence >= STRONG and suspect.cause not in (condition.cause, UNKNOWN) and suspect.family != COST
    return named and run.kind == "observed" and all_signs()[condition.sign.id].question != VALIDATION


def _chances(
    model: Model, levels: Mapping[str, float], kind: str, found: Assessment, leading: Finding | None
) -> dict[str, float]:
    """The hypotheses' probabilities. Once something is known to be wrong, `healthy` no longer competes."""
    if leading is not None and _by_rates(kind, found, leading):
        return behind(leading, model, levels)
    causes = model.causes_given_wrong(levels)
    if found.verdict == "sick":
        return causes
    healthy = model.healthy_chance(levels)
    if found.verdict == "healthy":
        healthy = max(0.5, healthy)
    chances = {HEALTHY: healthy} | {name: (1.0 - healthy) * chance for name, chance in causes.items()}
    if found.suspected is not None and model.measurements(found.suspected, levels) < 2:
        chances[found.suspected] = min(QUESTION, chances[found.suspected])
    return chances


def _by_rates(kind: str, found: Assessment, leading: Finding | None) -> bool:
    """Whether the faults are ranked by how often each was found behind the condition of a log."""
    return kind == "log" and leading is not None and found.seen is None and found.verdict != "healthy"


def _with_rates(hypothesis: Hypothesis, leading: Finding, model: Model, levels: Mapping[str, float]) -> Hypothesis:
    """The hypothesis with the arithmetic of `behind`, for --why."""
    prior, terms = score_behind(leading, model, hypothesis.cause, levels)
    told = [Contribution(t.name, t.level, t.weight, t.amount) for t in terms]
    return replace(hypothesis, prior=prior, contributions=told)


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


def _in_the_lead(outcomes: list[Sign], conditions: Sequence[Finding]) -> list[Sign]:
    """The outcomes without those that only establish a condition which follows from another one."""
    units = all_conditions()
    leads = {name for found in conditions if found.follows_from is None for name in units[found.id].signs}
    follows = {name for found in conditions if found.follows_from is not None for name in units[found.id].signs}
    return [sign for sign in outcomes if sign.id in leads or sign.id not in follows]


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
    if run.exit == "exception":
        return run.error.type or "exception"
    running = not run.exit and run.kind in ("observed", "recorded") and run.ended is None
    return "running" if running else run.exit or None


def _hypothesis(name: str, chance: float, model: Model, run: Run, signs: Signs) -> Hypothesis:
    levels = {sign_id: sign.level for sign_id, sign in signs.items()}
    terms = sorted(model.terms(name, levels), key=lambda term: -abs(term.amount))
    contributions = [Contribution(t.name, t.level, t.weight, t.amount) for t in terms]
    prior = model.parameters.prior.get(name, 0.0)
    cause = all_causes().get(name)
    if cause is None:
        return Hypothesis(name, chance, title_of(name, None), contributions=contributions, prior=prior)
    return Hypothesis(
        cause=name,
        confidence=chance,
        title=cause.title,
        basis=model.basis(name, levels),
        evidence=_evidence(terms, signs),
        against=_against(cause, terms, signs),
        fix=cause.fix(run, signs),
        # Advice on what to avoid follows from a cause; if the cause is merely possible, the opposite may be right.
        avoid=cause.avoid if model.basis(name, levels) == "seen" or chance >= PROBABLE else (),
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
    """What speaks against it: expected signs that were looked for and are normal, or excused."""
    # Required signs are alternative ways to see a cause: one of them is enough.
    met = any(sign in signs and signs[sign].raised for sign in cause.requires)
    expected = [s for s, w in sorted(cause.supports.items(), key=lambda item: -item[1]) if w >= 1.5 and s in signs]
    told = ("excused_by", "refuted_by")
    excused = [signs[sign].text for sign in expected if any(signs[sign].values.get(key) for key in told)]
    absent = [
        f"expected, but normal: {signs[sign].text}"
        for sign in expected
        if signs[sign].level < 0.1 and signs[sign].text not in excused and not (met and sign in cause.requires)
    ]
    for_it = set(_evidence(terms, signs))
    return [text for text in dict.fromkeys([*excused[:2], *absent[:2]]) if text not in for_it]


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
    columns = run.log.columns
    # The column that counts the steps may be the epoch column: name it once.
    roles = [(role, column) for role, column in columns.items() if (role, column) != ("epoch", columns.get("step"))]
    taken = ", ".join(f"{column} as {role}" for role, column in roles[:6])
    notes = [f"columns read: {taken}"] if columns else []
    notes += run.log.notes[:4]
    notes += [f"not observed: {name} ({reason})" for name, reason in run.observers_off.items()]
    return [*notes, *run.not_visible]


def _outweighs_crash(leading: Finding | None, signs: Signs) -> bool:
    """Whether a log's condition is the answer although the log ends in an error, which may have come after it."""
    return leading is not None and (leading.grave or (leading.bad and signs.highest("crash-infrastructure") < 1.0))


def _in_words_of(run: Run, found: Finding) -> Finding:
    """The condition with its standard remedies as the users of the run's framework write them."""
    script, said = run.script, []
    for move in found.remedies:
        code = in_words_of(run, move.code) if move.code else None
        if code and code.startswith("traindx "):  # a command on the script, which only PyTorch's can be given to
            called = call_of(script) if script else "train.py"
            code = None if run.kind == "recorded" else code.replace("train.py", called)
        said.append(replace(move, code=code))
    return replace(found, remedies=tuple(said))


def _out_of_scope(run: Run, signs: Signs, clear_fault: bool) -> str | None:
    """One sentence, where this run is not for us to diagnose; else None."""
    never = signs.get("never-trained")
    lost = signs.get("rank-lost")
    if lost is not None and lost.raised and not clear_fault:
        return lost.text
    crash = signs.get("crash-infrastructure")
    # A crash hides nothing that was seen before it: a clear fault is still the diagnosis.
    if crash is not None and crash.raised and not clear_fault:
        return crash.text
    learning = signs.get("reinforcement-learning")
    if learning is not None and learning.raised:
        return learning.text
    if never is not None and never.raised and not clear_fault:
        return never.text
    if run.kind in ("observed", "interview") or clear_fault:
        return None
    if networks := run.log.networks:
        return (
            f"This log holds the losses of several networks ({', '.join(map(str, networks[:4]))}): none of them alone "
            "measures progress."
        )
    if not any(name.startswith(("loss/", "accuracy/", "metric/")) for name in run.series_names):
        return "This log holds no loss, so there is nothing to judge: log the training loss, or use traindx run."
    return None
