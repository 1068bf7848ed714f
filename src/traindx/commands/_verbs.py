"""The verbs and their parser: found by file names, with their help read from the source, which keeps `--help` fast.

A usage error is one line, and options may stand anywhere among the arguments.
"""

from __future__ import annotations

import argparse
import ast
import re
import sys
from collections.abc import Sequence
from difflib import get_close_matches
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from pkgutil import iter_modules
from types import ModuleType
from typing import TYPE_CHECKING, NoReturn

from ._say import say

if TYPE_CHECKING:
    from _typeshed import SupportsWrite

PACKAGE = __name__.rpartition(".")[0]


@cache
def verb_names() -> tuple[str, ...]:
    found = iter_modules(import_module(PACKAGE).__path__)
    return tuple(module.name for module in found if not module.name.startswith("_"))


def find_verb(verb: str) -> ModuleType:
    return import_module(f"{PACKAGE}.{verb}")


def verb_help(verb: str) -> str:
    """The module's `HELP`, read from its source."""
    spec = find_spec(f"{PACKAGE}.{verb}")
    source = spec.loader.get_source(spec.name) if spec and spec.loader else None  # type: ignore[attr-defined]
    for statement in ast.parse(source or "").body:
        if isinstance(statement, ast.Assign) and any(getattr(t, "id", "") == "HELP" for t in statement.targets):
            return str(ast.literal_eval(statement.value))
    return ""


def suggestion(word: str) -> str:
    """The message for a word that is not a verb."""
    near = get_close_matches(word.lower().replace("_", "-"), verb_names(), n=1)
    if near:
        return f"there is no verb {word!r}: did you mean {near[0]!r}?"
    if Path(word).exists():
        verb = "run" if word.endswith(".py") else "diagnose"
        return f"{word!r} is a path, not a verb: did you mean traindx {verb} {word}?"
    return f"there is no verb {word!r} (the verbs are {', '.join(verb_names())})"


KINDS = {"int": "a whole number", "float": "a number", "positive": "a whole number", "percentage": "a percentage"}


class Parser(argparse.ArgumentParser):
    def __init__(self, prog: str, description: str | None) -> None:
        super().__init__(
            prog=prog,
            description=description,
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,  # a new option could make an abbreviation ambiguous
        )

    def error(self, message: str) -> NoReturn:
        # argparse prints the name of the function that reads a value; replace it by words.
        message = re.sub(r"invalid _?(\w+) value: (.+)", lambda m: f"{m[2]} is not {KINDS.get(m[1], m[1])}", message)
        message = self._with_hint(message)
        message = re.sub(r"(required: .+), args$", r"\1", message)  # a script needs no arguments
        say(f"{self.prog}: {' '.join(message.split())} (see {self.prog} --help)", sys.stderr)
        sys.exit(2)

    def _with_hint(self, message: str) -> str:
        """Suggest the nearest option for a misspelt one, and for a single letter the option that begins with it."""
        unknown = re.match(r"unrecognized arguments: (--?[\w-]+)", message)
        known = [name for name in self._option_string_actions if name.startswith("--")]
        near = get_close_matches(unknown[1], known, n=1) if unknown else []
        if unknown and len(unknown[1]) == 2:
            near = [name for name in known if name.startswith(f"-{unknown[1]}")]
        return f"there is no option {unknown[1]}: did you mean {near[0]}?" if unknown and near else message

    def print_help(self, file: SupportsWrite[str] | None = None) -> None:
        say(self.format_help(), file or sys.stdout, end="")

    def parse(self, words: Sequence[str]) -> argparse.Namespace:
        """Parse the words. `a.log --format json b.log` is allowed unless the rest of the line belongs to a script."""
        takes_rest = any(action.nargs in (argparse.REMAINDER, argparse.PARSER) for action in self._actions)
        return self.parse_args(words) if takes_rest else self.parse_intermixed_args(words)
