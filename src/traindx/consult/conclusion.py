"""The conclusion of an interview: the condition, what may lie behind it and how often, what to do now, and the one
command.

The condition is what the person said (or a record showed); the probabilities are those of `diagnosis.behind`
(`information.py`). The paths through the trees, all measures and the rules for stopping are there for who asks why.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..causes import all_causes
from ..conditions import Finding
from ..diagnosis import Diagnosis, Headline, Hypothesis, diagnose, how_often
from ..record import Run
from ..reports.json import as_object as diagnosis_object
from ..reports.json import picked
from ..signs import WORD, Signs, all_signs
from .advice import SCRIPT, Command, commands, for_script, memory_known, recovery, when_to_stop
from .information import causes_behind
from .matching import Match, Path, Symptom, all_symptoms, walk
from .questions import Telling, all_questions

SCHEMA = "traindx.consultation/1"
NAMED, SHOWN = 3, 5  # causes on the page, and in the object
LEAST, RAISED = 0.03, 0.1  # the probability from which a cause is named: found in public cases, or raised by answers
OBSERVE = "run"  # the verb that measures what only a run shows
PROBABLE = 0.5  # the probability from which the fix of a cause comes before the remedies of the condition


@dataclass(frozen=True)
class Likely:
    """One cause that may lie behind the condition, and in how many of how many public cases it did.

    Of a fault that somebody reports there is no probability: it is there, and comes first.
    """

    cause: str
    title: str
    probability: float | None
    cases: tuple[int, int] | None = None


@dataclass(frozen=True)
class Now:
    """What to do now: a sentence, with a line or two of code where it fits."""

    text: str
    code: str = ""


@dataclass(frozen=True)
class Consultation:
    diagnosis: Diagnosis | None  # None where nothing was said that allows one
    understood: bool  # whether anything of the user's words was
    condition: Finding | None
    likely: Sequence[Likely]
    itself: tuple[int, int] | None  # in how many of how many public cases nothing else lay behind the condition
    now: Now | None
    run: Command | None  # the one command
    said: Sequence[tuple[str, str]]  # question and answer, in words
    skipped: Sequence[str]
    paths: Sequence[Path]
    wishes: Sequence[Match]
    handovers: Sequence[Match]
    known_of_memory: Sequence[str]
    recovery: Sequence[str]
    stopping: Sequence[str]
    commands: Sequence[Command]
    conflicts: Sequence[str]  # contradictions between what was said and what was measured

    def as_object(self) -> dict[str, Any]:
        return {
            "schema": SCHEMA,
            "understood": self.understood,
            "headline": headline(self),
            "condition": self.condition.id if self.condition else None,
            "nothing_behind": list(self.itself) if self.itself else None,
            "likely": [
                picked(
                    one,
                    "cause title cases",
                    probability=None if one.probability is None else round(one.probability, 3),
                    reported=one.probability is None,
                )
                for one in self.likely
            ],
            "do_now": picked(self.now, "text code") if self.now else None,
            "run": picked(self.run, "command why") if self.run else None,
            "symptoms": [] if self.understood else [[s.id, s.title] for s in all_symptoms().values()],
            "diagnosis": diagnosis_object(self.diagnosis) if self.diagnosis else None,
            "said": [{"question": asked, "answer": said} for asked, said in self.said],
            **picked(self, "skipped known_of_memory recovery conflicts"),
            "trees": [_path(path) for path in self.paths],
            "wishes": [
                {"wish": m.id, "decides": m.decides, "answer": m.text, "command": wish_command(m)} for m in self.wishes
            ],
            "out_of_scope": [{"matter": m.id, "pointer": m.text} for m in self.handovers],
            "when_to_stop": list(self.stopping),
            "measure": [picked(c, "command settles why") for c in self.commands],
        }


def consult(
    state: Mapping[str, Any],
    run: Run,
    signs: Signs,
    symptoms: Sequence[Symptom],
    matched: Sequence[Match],
    tellings: Sequence[tuple[str, Telling]],
    lost: bool,
) -> Consultation:
    judged = bool(run.series_names or any(telling.signs or telling.facts for _, telling in tellings))
    diagnosis = diagnose(run)
    reported = _reported(tellings, signs)
    condition = next(iter(diagnosis.conditions), None) if judged else None
    likely = [*reported, *(_likely(condition, run, signs) if condition else [])]
    likely = [one for i, one in enumerate(likely) if one.cause not in {o.cause for o in likely[:i]}][:NAMED]
    if run.kind == "interview" and condition is not None:
        diagnosis = _as_told(diagnosis, condition, reported, run, signs)
    paths = [walk(symptom, signs) for symptom in symptoms]
    handovers = [match for match in matched if match.kind == "handover"]
    saved = recovery(run, signs, diagnosis) if diagnosis.verdict != "out-of-scope" else []
    crashed = signs.get("crash-infrastructure")
    memory = bool(crashed and crashed.raised and crashed.values.get("kind") == "memory ran out")
    over = diagnosis.verdict == "out-of-scope"
    measures = [] if over or not judged else commands(diagnosis, run, bool(saved))
    return Consultation(
        diagnosis=diagnosis if judged else None,
        understood=not lost,
        condition=None if over else condition,
        likely=[] if over else likely,
        itself=how_often(condition.id, condition.cause) if condition and condition.cause and not over else None,
        now=None if over or not judged else _now(diagnosis, condition, likely, run, signs),
        run=None if over or not judged else _command(condition, measures, run),
        said=[(_asked(name), telling.said) for name, telling in tellings if telling.said],
        skipped=[_asked(name) for name in state["skipped"]],
        paths=[] if over else paths,
        wishes=[match for match in matched if match.kind == "wish"],
        handovers=handovers,
        known_of_memory=memory_known(run) if memory or any(m.id == "memory" for m in handovers) else [],
        recovery=saved,
        stopping=[] if over or not judged else when_to_stop(paths, signs),
        commands=measures,
        conflicts=_conflicts(run, signs),
    )


def headline(found: Consultation) -> str:
    """The answer in one sentence."""
    if not found.understood:
        return "Nothing was understood, so nothing is diagnosed."
    if found.diagnosis is None:
        return "Nothing was said that allows a diagnosis." if not (found.wishes or found.handovers) else ""
    return found.diagnosis.summary


def _likely(condition: Finding, run: Run, signs: Signs) -> list[Likely]:
    """The causes that most often lie behind this condition, given what else is known."""
    levels = {name: sign.level for name, sign in signs.items()}
    chances = causes_behind(condition, run, levels)
    known = sorted((name for name in chances if name in all_causes()), key=lambda name: -chances[name])
    found = [Likely(name, all_causes()[name].title, chances[name], how_often(condition.id, name)) for name in known]
    return [one for one in found if chances[one.cause] >= (LEAST if one.cases and one.cases[0] else RAISED)]


def _reported(tellings: Sequence[tuple[str, Telling]], signs: Signs) -> list[Likely]:
    """The faults that the answers name outright."""
    named = [telling.reports for _, telling in tellings if telling.reports]
    return [Likely(name, all_causes()[name].title, None) for name in dict.fromkeys([*named, *stated_faults(signs)])]


def stated_faults(signs: Signs) -> list[str]:
    """The causes whose fault somebody stated: "softmax comes before the loss"."""
    stated = {name for name, sign in signs.items() if sign.raised and sign.values.get("stated")}
    faults = {name for name in stated if all_signs()[name].shows == "fault"}
    return [name for name, cause in all_causes().items() if faults & {*cause.seen_by}]


def _as_told(diagnosis: Diagnosis, condition: Finding, reported: Sequence[Likely], run: Run, signs: Signs) -> Diagnosis:
    """The diagnosis of a complaint: the condition that was told is the answer, whatever else was said to be fine."""
    levels = {name: sign.level for name, sign in signs.items()}
    chances = causes_behind(condition, run, levels)
    named = {one.cause: WORD / len(reported) for one in reported}
    rest = 1.0 - sum(named.values())
    behind = {name: rest * chance for name, chance in chances.items() if name in all_causes() and name not in named}
    most = sorted(behind, key=lambda name: -behind[name])[:SHOWN]
    hypotheses = [_hypothesis(name, {**behind, **named}[name], run, signs) for name in (*named, *most)]
    return replace(
        diagnosis,
        verdict=diagnosis.verdict if diagnosis.verdict == "out-of-scope" else "sick",
        suspected=False,
        summary=f"{condition.title}, by what you said. {condition.sign.text}",
        headline=Headline("condition", condition.id, condition.confidence, condition.onset),
        hypotheses=hypotheses,
    )


def _hypothesis(name: str, chance: float, run: Run, signs: Signs) -> Hypothesis:
    """One cause with what was said for it."""
    cause = all_causes()[name]
    told = [signs[s].text for s in cause.supports if s in signs and signs[s].raised]
    return Hypothesis(
        cause=name,
        confidence=chance,
        title=cause.title,
        evidence=list(dict.fromkeys(told)),
        fix=cause.fix(run, signs),
        verify=cause.verify,
        reference=cause.reference,
        family=cause.family,
    )


def _now(
    diagnosis: Diagnosis, condition: Finding | None, likely: Sequence[Likely], run: Run, signs: Signs
) -> Now | None:
    """The fix of a cause that was reported or is more likely than not, else the first remedy of the condition."""
    if likely and (likely[0].probability is None or likely[0].probability >= PROBABLE):
        fix = all_causes()[likely[0].cause].fix(run, signs)
        return Now(fix.summary, fix.code or "")
    if condition is not None and condition.remedies:
        first = condition.remedies[0]
        return Now(first.text, first.code or "")
    leading = diagnosis.leading.fix
    return Now(leading.summary, leading.code or "") if leading is not None else None


def _command(condition: Finding | None, measures: Sequence[Command], run: Run) -> Command | None:
    """The cheapest test for what lies behind the condition."""
    if condition is not None and condition.behind is not None:
        command, why = condition.behind
        return Command(for_script(command, run), (), why)
    own = all_causes().get(condition.cause) if condition is not None and condition.cause else None
    settling = [c for c in measures if own is not None and c.verb in (own.settled_by or (OBSERVE,))]
    return next(iter([*settling, *measures]), None)


def wish_command(match: Match) -> str:
    """The command that answers a wish, with its argument."""
    given = {"diagnose": "LOG", "compare": "runs/*"}.get(match.command, SCRIPT)
    return f"traindx {match.command} {given}" if match.command else ""


def _path(path: Path) -> dict[str, Any]:
    steps = [picked(step, "ask answer evidence question", by=step.by or None) for step in path.steps]
    return {"symptom": path.symptom.id, "title": path.symptom.title, "path": steps, "leads_to": path.ends}


def _asked(name: str) -> str:
    question = all_questions().get(name)
    return question.ask if question else {"symptoms": "What do you see?", "words": "In your own words"}.get(name, name)


def _conflicts(run: Run, signs: Signs) -> list[str]:
    """Problems that the user described but that the measurement does not show."""
    found = []
    for name, statement in run.told.signs.items():
        sign = signs.get(name)
        if sign is None or sign.values.get("told") or (statement.level or 0.0) < 0.5 or sign.level >= 0.3:
            continue
        found.append(f"{statement.text} Measured: {sign.text}")
    return list(dict.fromkeys(found))
