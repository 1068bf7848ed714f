"""The consultation as text for the terminal: the diagnosis first, then how it was reached and what to do."""

from __future__ import annotations

from dataclasses import replace

from ..reports import Look, render
from ..reports.layout import Page
from ..wording import clean
from .conclusion import Consultation, wish_command
from .walking import Path, Step

BY = {"told": "you said", "measured": "measured", "": ""}


def consultation_page(found: Consultation, look: Look) -> str:
    page = Page(look)
    _wishes(page, found)
    _diagnosis(page, found)
    for pointer in found.handovers:
        page.gap()
        page.prose("INSTEAD", pointer.text)
    page.items("MEMORY", found.known_of_memory, most=8)
    page.items("BUT", found.conflicts, most=3)
    for path in found.paths:
        page.gap()
        _path(page, path)
    if found.recovery:
        page.gap()
        page.items("GO BACK", found.recovery, most=3)
    _commands(page, found)
    if found.stopping:
        page.gap()
        page.items("STOP WHEN", found.stopping, most=3)
    return str(page)


def _wishes(page: Page, found: Consultation) -> None:
    """The answers to wishes come first, because they are what the person asked for."""
    for match in found.wishes:
        page.prose("YOU ASK", match.text)
        page.block("", [wish_command(match)])
        page.gap()


def _diagnosis(page: Page, found: Consultation) -> None:
    if not found.judged and (found.wishes or found.handovers):
        return  # only wishes or matters out of scope were named
    diagnosis = replace(found.diagnosis, next_tests=[])  # MEASURE below lists all commands
    look = page.look
    text = render(diagnosis, "text", why=look.why, width=look.width, colour=look.colour, ascii_only=look.ascii_only)
    page.lines += text.splitlines()


def _path(page: Page, path: Path) -> None:
    """Every fork with its answer, and the advice at the end of the path."""
    page.prose("PATH", f"{path.symptom.title}: {path.settled} of {len(path.steps)} forks answered")
    for step in path.steps:
        page.prose("", f"{step.ask} {_answer(step)}", bullet="? ")
    if path.ends:
        page.prose("", path.ends, bullet="> ")


def _answer(step: Step) -> str:
    if not step.by:
        return "Not known."
    evidence = step.evidence.removeprefix("You said that ").removeprefix("By what you said, ")
    return f"{step.answer.capitalize()} ({BY[step.by]}: {evidence.rstrip('.')})."


def _commands(page: Page, found: Consultation) -> None:
    if not found.commands:
        return
    page.gap()
    for i, command in enumerate(found.commands):
        page.block("" if i else "MEASURE", [clean(command.command, page.look.ascii_only)])
        settles = f"; decides on {', '.join(command.settles)}" if command.settles else ""
        page.prose("", f"{command.why}{settles}", bullet="  ")
