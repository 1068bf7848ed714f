"""The consultation as text for the terminal: the condition, what may lie behind it, what to do now, and one command.

With --why also the path through the tree, the whole diagnosis, the other measures and the rules for stopping.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ..reports import Entry, Look, Section, lines, page_of, render
from ..wording import probability
from .conclusion import Consultation, Likely, headline, wish_command
from .matching import Path, Step, all_symptoms

BY = {"told": "you said", "measured": "measured", "": ""}


def consultation_page(found: Consultation, look: Look) -> str:
    """The parts of the answer; with --why the whole diagnosis stands in between as its own report."""
    page = page_of([*_answer(found), *([] if look.why else _more(found))], look)
    if not look.why or found.diagnosis is None or found.diagnosis.verdict == "out-of-scope":
        return page
    whole = replace(found.diagnosis, next_tests=[])  # MEASURE below lists all commands
    pages = [page, page_of(_paths(found), look), render(whole, "text", **vars(look)), page_of(_further(found), look)]
    return "\n\n".join(part for part in pages if part)


def _answer(found: Consultation) -> Iterator[Section]:
    for match in found.wishes:  # first, because they are what the person asked for
        yield Section("IT DEPENDS", lines([match.decides, match.text], ""), apart=True)
        yield _command("MEASURE", wish_command(match))
    if not found.understood:
        symptoms = lines(symptom.title for symptom in all_symptoms().values())
        again = Entry("Say it again in one of these forms, or give me a log: traindx ask LOG")
        not_understood = Entry("I did not understand that, so I diagnose nothing. What do you see?")
        yield Section("", [not_understood, *symptoms, again], apart=True)
    elif found.diagnosis is not None:
        yield from _diagnosed(found)
    elif not (found.wishes or found.handovers):
        yield Section("", [Entry(headline(found))])
    for pointer in found.handovers:
        yield Section("OUT OF SCOPE", [Entry(pointer.text)], apart=True)
    yield Section("MEMORY", lines(found.known_of_memory))
    yield Section("BUT", lines(found.conflicts), 3)


def _diagnosed(found: Consultation) -> Iterator[Section]:
    diagnosis = found.diagnosis
    assert diagnosis is not None
    if diagnosis.verdict == "out-of-scope":
        yield Section("OUT OF SCOPE", [] if found.handovers else [Entry(diagnosis.summary)])
        return
    yield Section("CONDITION" if found.condition else "ANSWER", [Entry(diagnosis.summary)], apart=True)
    yield Section("LIKELY WHY", list(_behind(found)), apart=True)
    if found.now is not None:
        code = "" if found.now.code.startswith("traindx ") else found.now.code  # RUN below has the command
        yield Section("DO NOW", [Entry(found.now.text, code=code.splitlines())], apart=True)
    if found.run is not None:
        yield _command("RUN", found.run.command, found.run.why, apart=True)


def _command(label: str, command: str, why: str = "", apart: bool = False) -> Section:
    return Section(label, [Entry("", code=[command]), *([Entry(why)] if why else [])], apart=apart)


def _behind(found: Consultation) -> Iterator[Entry]:
    """What may lie behind the condition, with the share that nothing above accounts for."""
    guessed = [one for one in found.likely if one.probability is not None]
    for one in found.likely:
        yield Entry(_cause(one), "you said  " if one.probability is None else f"{probability(one.probability):>4}  ")
    if found.itself is not None and found.itself[0]:
        yield Entry(f"In {found.itself[0]} of {found.itself[1]} public cases nothing else was wrong.")
    elif guessed and len(guessed) == len(found.likely):
        rest = 1.0 - sum(round(one.probability or 0.0, 2) for one in guessed)  # as shown: together they are 100 %
        yield Entry("other causes, or unknown", f"{probability(rest):>4}  ")


def _cause(one: Likely) -> str:
    """The cause, and how often it was found in public cases."""
    if one.cases is None or not one.cases[0]:
        return one.title
    return f"{one.title} ({one.cases[0]} of {one.cases[1]} public cases)"


def _more(found: Consultation) -> Iterator[Section]:
    """One line that says what --why shows."""
    if found.diagnosis is None or found.diagnosis.verdict == "out-of-scope":
        return
    steps = sum(len(path.steps) for path in found.paths)
    settled = sum(path.settled for path in found.paths)
    parts = [f"the path ({settled} of {steps} forks answered)"] if steps else []
    parts += ["every cause", "what else to measure"]
    parts += ["which checkpoint to go back to"] if found.recovery else []
    yield Section("", [Entry(f"With --why: {', '.join(parts)}, and when to stop.")], apart=True)


def _paths(found: Consultation) -> Iterator[Section]:
    """Every fork with its answer, and the advice at the end of the path."""
    for path in found.paths:
        yield Section("PATH", [*_path(path)], apart=True)


def _path(path: Path) -> Iterator[Entry]:
    yield Entry(f"{path.symptom.title}: {path.settled} of {len(path.steps)} forks answered")
    for step in path.steps:
        yield Entry(f"{step.ask} {_step(step)}", "? ")
    if path.ends:
        yield Entry(path.ends, "> ")


def _step(step: Step) -> str:
    if not step.by:
        return "Not known."
    evidence = step.evidence.removeprefix("You said that ").removeprefix("By what you said, ")
    return f"{step.answer.capitalize()} ({BY[step.by]}: {evidence.rstrip('.')})."


def _further(found: Consultation) -> Iterator[Section]:
    yield Section("GO BACK", lines(found.recovery), apart=True)
    for i, command in enumerate(found.commands):
        settles = f"; decides on {', '.join(command.settles)}" if command.settles else ""
        yield _command("" if i else "MEASURE", command.command, f"{command.why}{settles}", apart=not i)
    yield Section("STOP WHEN", lines(found.stopping), apart=True)
