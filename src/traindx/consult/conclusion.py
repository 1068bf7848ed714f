"""The conclusion of an interview: the diagnosis, the paths through the trees, the wishes, and what to measure next."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..diagnosis import Diagnosis, diagnose
from ..record import Run
from ..reports.json import as_object as diagnosis_object
from ..signs import Signs
from .commands_to_run import SCRIPT, Command, commands
from .matching import Match
from .memory import memory_known
from .questions import Telling, all_questions
from .recovery import recovery
from .stopping import when_to_stop
from .symptoms import Symptom
from .walking import Path, walk

SCHEMA = "traindx.consultation/1"


@dataclass(frozen=True)
class Consultation:
    diagnosis: Diagnosis
    said: Sequence[tuple[str, str]]  # question and answer, in words
    skipped: Sequence[str]
    paths: Sequence[Path]
    wishes: Sequence[Match]
    handovers: Sequence[Match]
    known_of_memory: Sequence[str]
    recovery: Sequence[str]
    stopping: Sequence[str]
    commands: Sequence[Command]
    judged: bool  # whether anything was said or measured that allows a diagnosis
    conflicts: Sequence[str]  # contradictions between what was said and what was measured

    def as_object(self) -> dict[str, Any]:
        return {
            "schema": SCHEMA,
            "diagnosis": diagnosis_object(self.diagnosis),
            "said": [{"question": asked, "answer": said} for asked, said in self.said],
            "skipped": list(self.skipped),
            "trees": [_path(path) for path in self.paths],
            "wishes": [{"wish": m.id, "answer": m.text, "command": wish_command(m)} for m in self.wishes],
            "out_of_scope": [{"matter": m.id, "pointer": m.text} for m in self.handovers],
            "known_of_memory": list(self.known_of_memory),
            "recovery": list(self.recovery),
            "when_to_stop": list(self.stopping),
            "measure": [{"command": c.command, "settles": list(c.settles), "why": c.why} for c in self.commands],
            "conflicts": list(self.conflicts),
        }


def consult(
    state: Mapping[str, Any],
    run: Run,
    signs: Signs,
    symptoms: Sequence[Symptom],
    matched: Sequence[Match],
    tellings: Sequence[tuple[str, Telling]],
) -> Consultation:
    diagnosis = diagnose(run)
    paths = [walk(symptom, signs) for symptom in symptoms]
    handovers = [match for match in matched if match.kind == "handover"]
    saved = recovery(run, signs, diagnosis) if diagnosis.verdict != "out-of-scope" else []
    crashed = signs.get("crash-infrastructure")
    memory = bool(crashed and crashed.raised and crashed.values.get("kind") == "memory ran out")
    over = diagnosis.verdict == "out-of-scope"
    judged = bool(run.series_names or any(telling.signs or telling.facts for _, telling in tellings))
    return Consultation(
        diagnosis=diagnosis,
        said=[(_asked(name), telling.said) for name, telling in tellings if telling.said],
        skipped=[_asked(name) for name in state["skipped"]],
        paths=[] if over else paths,
        wishes=[match for match in matched if match.kind == "wish"],
        handovers=handovers,
        known_of_memory=memory_known(run) if memory or any(m.id == "memory" for m in handovers) else [],
        recovery=saved,
        stopping=[] if over or not judged else when_to_stop(paths, signs),
        commands=[] if over or not judged else commands(diagnosis, run, bool(saved)),
        judged=judged,
        conflicts=_conflicts(run, signs),
    )


def wish_command(match: Match) -> str:
    """The command that answers a wish, with its argument."""
    given = {"diagnose": "LOG", "compare": "runs/*"}.get(match.command, SCRIPT)
    return f"traindx {match.command} {given}" if match.command else ""


def _path(path: Path) -> dict[str, Any]:
    steps = [
        {"ask": s.ask, "answer": s.answer, "by": s.by or None, "evidence": s.evidence, "question": s.question}
        for s in path.steps
    ]
    return {"symptom": path.symptom.id, "title": path.symptom.title, "path": steps, "leads_to": path.ends}


def _asked(name: str) -> str:
    question = all_questions().get(name)
    return question.ask if question else {"symptoms": "What do you see?", "words": "In your own words"}.get(name, name)


def _conflicts(run: Run, signs: Signs) -> list[str]:
    """Problems that the user described but that the measurement does not show."""
    found = []
    for name, statement in (run.fact("told").get("signs") or {}).items():
        sign = signs.get(name)
        if sign is None or sign.values.get("told") or statement["level"] < 0.5 or sign.level >= 0.3:
            continue
        found.append(f"{statement['text']} Measured: {sign.text}")
    return list(dict.fromkeys(found))
