"""Learn to diagnose by hand: small sick trainings, in the order of a course.

  traindx exercise                  list the exercises
  traindx exercise 3                get number 3: its text, and its script in
                                    the folder exercise-3
  traindx exercise 3 --hint         a hint; --hint --hint for the next one
  traindx exercise 3 --answer NAME  check an answer: the name of a cause, as
                                    traindx explain lists them
  traindx exercise 3 --solution     give up

Find the cause by hand first; then use traindx run. Exit codes: 0 for a right
answer, 1 for a wrong one, 2 for an unknown name.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from ._say import CommandError, say

if TYPE_CHECKING:
    from ..consult.exercises import Exercise

HELP = "learn to diagnose by hand: sick trainings with checked answers"
WIDTH = 80


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("number", nargs="?", type=int, metavar="N", help="which exercise; without it, list them")
    asked = parser.add_mutually_exclusive_group()
    asked.add_argument("--answer", metavar="NAME", help="check this answer")
    asked.add_argument("--hint", action="count", default=0, help="show a hint; --hint --hint shows the next one")
    asked.add_argument("--solution", action="store_true", help="show the solution")
    parser.add_argument("--folder", type=Path, metavar="DIR", help="where its script goes (default: exercise-N)")


def words(option: str) -> list[str]:
    """For shell completion."""
    from ..causes import all_causes
    from ..consult.exercises import all_exercises

    return {"": [str(number) for number in all_exercises()], "--answer": list(all_causes())}.get(option, [])


def run(arguments: argparse.Namespace) -> int:
    from ..consult.exercises import all_exercises

    if arguments.number is None:
        if arguments.answer or arguments.hint or arguments.solution:
            raise CommandError("name an exercise; traindx exercise lists their numbers")
        say(_list(all_exercises()))
        return 0
    exercise = all_exercises().get(arguments.number)
    if exercise is None:
        raise CommandError(f"there is no exercise {arguments.number}: they are 1 to {len(all_exercises())}")
    if arguments.answer is not None:
        return _judge(exercise, arguments.answer)
    if arguments.hint:
        say(exercise.hints[min(arguments.hint, len(exercise.hints)) - 1])
        return 0
    if arguments.solution:
        _show(exercise.solution)
        return 0
    _begin(exercise, arguments.folder or Path(f"exercise-{exercise.number}"))
    return 0


def _list(exercises: dict[int, Exercise]) -> str:
    from ..consult.exercises import PARTS

    lines: list[str] = []
    for part in PARTS:
        lines += ["", part] if lines else [part]
        lines += [f"  {n:>2}  {e.title}" for n, e in exercises.items() if e.part == part]
    return "\n".join([*lines, "", "To begin: traindx exercise 1"])


def _begin(exercise: Exercise, folder: Path) -> None:
    script = folder / exercise.file
    kept = script.exists()
    if not kept:  # never overwrite what the reader has changed
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with script.open("x", encoding="utf-8") as file:
                file.write(exercise.source())
        except OSError as error:
            raise CommandError(f"{script} cannot be written ({error.strerror})") from None
    say(f"{exercise.number}. {exercise.title} ({exercise.part})\n")
    _show(exercise.text)
    say(f"\n{script} {'is still there, as you left it' if kept else 'is yours to change'}.")
    say(f"Hint: traindx exercise {exercise.number} --hint")
    say(f"Answer: traindx exercise {exercise.number} --answer NAME")


def _judge(exercise: Exercise, answer: str) -> int:
    judgement = exercise.judge(answer)
    if judgement.right is None:
        raise CommandError(judgement.text)
    say(judgement.text)
    if not judgement.right:
        say(f"Hint: traindx exercise {exercise.number} --hint")
        return 1
    say("")
    _show(exercise.solution)
    if exercise.file == "train.py":
        say(f"\nNow ask: traindx run exercise-{exercise.number}/{exercise.file}")
    return 0


def _show(markdown: str) -> None:
    from ._markdown import plain

    say(plain(markdown, WIDTH), end="")
