"""Reads answers from a TOML file, and makes the file to fill in."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from ...consult import AnswerError, answer
from ...consult.interview import SYMPTOMS, WORDS, State
from ...consult.questions import all_questions
from ...consult.symptoms import OTHER, all_symptoms
from ...consult.toml import TomlError, parse
from .._errors import CommandError


def answers_in(path: Path, state: State) -> State:
    """The state with every answer of the file. Raises `CommandError` with the name of a bad answer."""
    for name, value in _read(path).items():
        if name not in {SYMPTOMS, WORDS, *all_questions()}:
            near = get_close_matches(name, [SYMPTOMS, WORDS, *all_questions()], n=1)
            hint = f": did you mean {near[0]!r}?" if near else " (traindx ask --questions lists them)"
            raise CommandError(f"{path}: there is no question {name!r}{hint}")
        said = [str(part) for part in value] if isinstance(value, list) else _word(value)
        try:
            state = answer(state, name, said)
        except AnswerError as error:
            raise CommandError(f"{path}: {name}: {error}") from None
    if WORDS in state["answers"] and SYMPTOMS not in state["answers"]:
        state = answer(state, SYMPTOMS, [OTHER])
    return state


def _word(value: Any) -> str:
    return ("yes" if value else "no") if isinstance(value, bool) else str(value)


def _read(path: Path) -> Mapping[str, Any]:
    try:
        text = sys.stdin.read() if str(path) == "-" else path.read_text(encoding="utf-8")
        return parse(text)
    except OSError as error:
        raise CommandError(f"{path} cannot be read ({(error.strerror or 'unknown').lower()})") from None
    except UnicodeDecodeError:
        raise CommandError(f"{path} is not text") from None
    except TomlError as error:
        raise CommandError(f"{path} is not TOML: {error}") from None


def template() -> str:
    """All questions with their options as comments, and example answers to uncomment."""
    lines = ["# Answers for traindx ask --answers FILE. Uncomment what you know; leave the rest.", ""]
    lines += ["# What you see, one or more of:"]
    lines += [f"#   {symptom.id}: {symptom.title}" for symptom in all_symptoms().values()]
    lines += ['# symptoms = ["plateau"]', "", "# In your own words", '# words = "…"']
    for question in all_questions().values():
        lines += ["", f"# {question.ask}"]
        lines += [f"#   {option.key}: {option.label}" for option in question.options]
        example = question.options[0].key if question.options else question.examples[0][0]
        shown = '"""\n# paste the lines of your log here\n# """' if question.many_lines else json.dumps(example)
        lines.append(f"# {question.id} = {shown}")
    return "\n".join(lines)
