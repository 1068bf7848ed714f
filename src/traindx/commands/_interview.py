"""The interview in a terminal: asks until no useful question is left, keeps every answer, offers to measure.

Answers can also come from a TOML file. An interview is saved to a file: Ctrl-C or a lost connection loses nothing.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from ..consult import AnswerError, answer, next_question, skip
from ..consult.interview import SYMPTOMS, WORDS, State, checked, consultation, undone
from ..consult.matching import OTHER, all_symptoms
from ..consult.questions import all_questions
from ..paths import shown, state_folder
from ..toml import TomlError, parse
from ._say import CommandError, say
from ._screens import Back, Leave, TypingScreen


def answers_in(path: Path, state: State) -> State:
    """The state with every answer of the file. Raises `CommandError` with the name of a bad answer."""
    for name, value in _read(path).items():
        if name not in {SYMPTOMS, WORDS, *all_questions()}:
            near = get_close_matches(name, [SYMPTOMS, WORDS, *all_questions()], n=1)
            hint = f": did you mean {near[0]!r}?" if near else " (traindx ask --questions lists them)"
            raise CommandError(f"{path}: there is no question {name!r}{hint}")
        word = {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)
        said = [str(part) for part in value] if isinstance(value, list) else word
        try:
            state = answer(state, name, said)
        except AnswerError as error:
            raise CommandError(f"{path}: {name}: {error}") from None
    if WORDS in state["answers"] and SYMPTOMS not in state["answers"]:
        state = answer(state, SYMPTOMS, [OTHER])
    return state


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


FOLDER = "interviews"


class Keeping:
    """The file of one interview: the one that the user named, or one in traindx's state folder, which is deleted at the
    end."""

    def __init__(self, named: Path | None) -> None:
        self.named = named
        self.path = named or state_folder() / FOLDER / f"{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}.json"
        self._failed = False

    def load(self) -> State | None:
        """The interview in the named file; None if there is none yet."""
        if self.named is None or not self.named.exists():
            return None
        try:
            state: State = json.loads(self.named.read_text(encoding="utf-8"))
        except OSError as error:
            raise CommandError(f"{self.named} cannot be read ({(error.strerror or 'unknown').lower()})") from None
        except ValueError:
            raise CommandError(f"{self.named} contains no interview (it is not JSON)") from None
        checked(state)
        return state

    def save(self, state: State, only_if_named: bool = False) -> None:
        """Write a new file and rename it, so that the file is complete at every moment. Only the user can read it."""
        if self._failed or (only_if_named and self.named is None):
            return
        beside = self.path.with_name(f"{self.path.name}.{os.getpid()}.new")
        try:
            if self.named is None:
                self.path.parent.mkdir(parents=True, exist_ok=True)
            with open(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
                json.dump(state, file, indent=1)
            beside.replace(self.path)
        except OSError as error:
            self._failed = True
            with suppress(OSError):
                beside.unlink()
            if self.named is not None:
                raise CommandError(f"{self.path} cannot be written ({(error.strerror or 'unknown').lower()})") from None
            say(f"traindx ask: this interview is not kept ({(error.strerror or 'unknown').lower()})", sys.stderr)

    def interrupted(self) -> None:
        """Print how to continue."""
        if not self._failed and self.path.exists():
            say(f"Saved. To continue: traindx ask --resume {shown(str(self.path))}", sys.stderr)

    def finish(self) -> None:
        """Delete the file at the end, unless the user named it."""
        if self.named is None:
            with suppress(OSError):
                self.path.unlink()


MOST_REFUSALS = 3


def hold(state: State, screen: TypingScreen, keeping: Keeping) -> State:
    """The state after the interview. Every answer is saved at once; Ctrl-C raises KeyboardInterrupt."""
    try:
        return _hold(state, screen, keeping)
    except KeyboardInterrupt:
        say("", sys.stderr)
        keeping.interrupted()
        raise


def _hold(state: State, screen: TypingScreen, keeping: Keeping) -> State:
    refusals = 0
    while question := next_question(state):
        name = question["id"]
        try:
            reply = screen.ask(question)
            state = answer(state, name, reply) if reply else skip(state, name)
        except Leave:
            break
        except Back:
            state = undone(state)
        except AnswerError as error:
            refusals += 1
            if refusals < MOST_REFUSALS:
                screen.refuse(str(error))
                continue
            screen.refuse(f"{error}; this question is skipped")
            state = skip(state, name)
        refusals = 0
        keeping.save(state)
    return state


def offer(state: State, screen: TypingScreen) -> int:
    """Run the command that the user chooses on the script that they name. Returns its exit code."""
    commands = [found.command for found in consultation(state).commands]
    if not commands:
        return 0
    verbs = [command.removeprefix("traindx ").split()[:-1] for command in commands]
    options = [(" ".join(verb), f"traindx {' '.join(verb)}") for verb in verbs]
    try:
        chosen = screen.choose("Shall I measure it now?", [*options, ("", "Not now")])
        if not chosen:
            return 0
        script = screen.line("Which script? (with its arguments; empty: none)")
    except (Leave, KeyboardInterrupt):
        return 0
    words = script.split()
    if not words:
        return 0
    if not Path(words[0]).is_file():
        screen.note(f"{words[0]} is not a file here. Later: traindx {chosen} {script}")
        return 0
    return subprocess.call([sys.executable, "-m", "traindx", *chosen.split(), *words])
