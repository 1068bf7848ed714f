"""Finds the verbs by their file names, and reads their help without importing them, which keeps `--help` fast."""

from __future__ import annotations

import ast
from difflib import get_close_matches
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from pkgutil import iter_modules
from types import ModuleType

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
