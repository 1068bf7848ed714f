"""Writes the reference from the source itself, before Sphinx reads the documents.

Every condition, cause, sign, treatment, verb and public Python name gets its page or entry under `reference/` (not kept
in git). The pages are what `traindx explain NAME` and `traindx VERB --help` print, so handbook and terminal cannot
disagree. Where a page names another unit in backquotes, the name becomes a link.
"""

from __future__ import annotations

import io
import os
import pkgutil
import re
import shutil
from collections.abc import Callable, Mapping
from contextlib import redirect_stdout
from importlib import import_module
from pathlib import Path
from typing import Any

import traindx
import traindx.commands
from traindx.__main__ import main
from traindx.causes import all_causes, page_names, page_title
from traindx.conditions import all_conditions
from traindx.consult.exercises import PARTS, all_exercises
from traindx.signs import all_signs
from traindx.signs.questions import rank
from traindx.treatments import all_experiments, all_interventions

NAMED = re.compile(r"`([a-z][a-z0-9-]*)`")
FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
HELP_COLUMNS = "92"

Groups = Mapping[str, Mapping[str, str]]  # heading -> unit -> what it is, in a line


def setup(app: Any) -> dict[str, Any]:
    app.connect("builder-inited", lambda app: write_reference(Path(app.srcdir) / "reference"))
    return {"parallel_read_safe": True}


def write_reference(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    sections: dict[str, tuple[str, Groups]] = {
        "conditions": ("Conditions", {"": {unit.id: unit.means for unit in all_conditions().values()}}),
        "causes": ("Causes", _causes()),
        "signs": ("Signs", _signs()),
        "background": ("Background", {"": {name: page_title(name) for name in page_names()}}),
    }
    places: dict[str, str] = {}
    for kind, (_, groups) in sections.items():
        for units in groups.values():
            places |= {name: f"{kind}/{name}" for name in units if name not in places}
    for kind, (title, groups) in sections.items():
        _section(folder, kind, title, groups, _explained, places)
    _section(folder, "treatments", "Treatments", _treatments(), _treatment, places)
    _section(folder, "commands", "Commands", {"": _verbs()}, _help, {})
    _write(folder / "python.md", _python())
    _write(folder / "course.md", _course())


def _section(
    folder: Path, kind: str, title: str, groups: Groups, page: Callable[[str], str], places: Mapping[str, str]
) -> None:
    """One page a unit, and a page that lists them by group."""
    index = [f"# {title}"]
    for group, units in groups.items():
        rows = "\n".join(f"| [`{name}`]({kind}/{name}.md) | {_cell(about)} |" for name, about in units.items())
        index += [f"## {group}"] if group else []
        index.append(f"| name | what it is |\n|---|---|\n{rows}")
        for name in units:
            _write(folder / kind / f"{name}.md", _linked(page(name), f"{kind}/{name}", places))
    listed = "\n".join(f"{kind}/{name}" for units in groups.values() for name in units)
    index.append(f"```{{toctree}}\n:hidden:\n\n{listed}\n```")
    _write(folder / f"{kind}.md", "\n\n".join(index))


def _causes() -> dict[str, dict[str, str]]:
    families: dict[str, dict[str, str]] = {}
    for cause in sorted(all_causes().values(), key=lambda cause: (cause.family, cause.id)):
        families.setdefault(cause.family.capitalize().replace("-", " "), {})[cause.id] = cause.title
    return families


def _signs() -> dict[str, dict[str, str]]:
    """By the question that they answer, in the order in which one would ask."""
    found: dict[str, dict[str, str]] = {}
    for unit in sorted(all_signs().values(), key=lambda unit: (rank(unit.question), unit.id)):
        found.setdefault(unit.question, {})[unit.id] = _first_sentence(unit.about)
    return found


def _treatments() -> dict[str, dict[str, str]]:
    changes, experiments = all_interventions(), all_experiments()
    found = {"Changes of a run": {name: unit.title for name, unit in sorted(changes.items())}}
    if experiments:
        found["Experiments that tell"] = {name: unit.title for name, unit in sorted(experiments.items())}
    return found


JUDGED = {
    "loss": "training loss at equal steps; the loss-free score and validation must not get worse",
    "score": "the loss-free score, because the loss itself changes",
    "validation": "what the script's own evaluation measures",
    "symptoms": "the symptom; the outcome must not be worse",
    "time": "seconds per step; neither a loss nor the loss-free score may get worse",
}


def _treatment(name: str) -> str:
    unit: Any = {**all_interventions(), **all_experiments()}[name]
    about = unit.about
    tests = "\n".join(f"- `{cause}`" for cause in unit.tests)
    parts = [f"# {unit.title}", f"`{unit.id}`", about, "## Tests", tests]
    if hasattr(unit, "judged_by"):
        parts += ["## Judged by", f"{JUDGED[unit.judged_by].capitalize()}.", "## Safety", f"{unit.safety}"]
    return "\n\n".join(parts)


def _course() -> str:
    """The exercises in their order; answers stay in the terminal."""
    parts = [
        f"# A course of {len(all_exercises())} exercises",
        "Each exercise is a small training to diagnose by hand before asking traindx. `traindx exercise 1` writes its "
        "script into a folder; `traindx exercise 1 --answer NAME` checks the answer, with a reason where it is wrong.",
    ]
    for part in PARTS:
        parts.append(f"## {part}")
        for exercise in all_exercises().values():
            if exercise.part == part:
                parts.append(f"### {exercise.number}. {exercise.title}\n\n{exercise.text}")
    return "\n\n".join(parts)


def _verbs() -> dict[str, str]:
    names = [module.name for module in pkgutil.iter_modules(traindx.commands.__path__)]
    return {n: import_module(f"traindx.commands.{n}").HELP for n in names if not n.startswith("_")}


def _explained(name: str) -> str:
    return _printed("explain", name, "--format", "markdown")


def _help(verb: str) -> str:
    return f"# traindx {verb}\n\n```text\n{_printed(verb, '--help').strip()}\n```\n"


def _printed(*words: str) -> str:
    """What `traindx WORDS` prints."""
    os.environ["COLUMNS"] = HELP_COLUMNS
    out = io.StringIO()
    with redirect_stdout(out):
        code = main(words)
    if code:
        raise RuntimeError(f"traindx {' '.join(words)} ended with {code}")
    return out.getvalue()


def _python() -> str:
    names = [name for name in traindx.__all__ if not name.startswith("__")]
    entries = "\n".join(_entry(name) for name in names)
    return f"# Python\n\nEverything that `import traindx` offers.\n\n```{{eval-rst}}\n{entries}\n```\n"


def _entry(name: str) -> str:
    thing = getattr(traindx, name)
    if not isinstance(thing, type):
        return f".. autofunction:: traindx.{name}\n"
    members = "" if issubclass(thing, Exception) else "\n   :members:"
    return f".. autoclass:: traindx.{name}{members}\n"


def _linked(markdown: str, here: str, places: Mapping[str, str]) -> str:
    """Names of other units as links; code blocks stay as they are."""

    def link(match: re.Match[str]) -> str:
        place = places.get(match[1])
        return match[0] if place is None or place == here else f"[`{match[1]}`](../{place}.md)"

    parts, end = [], 0
    for fence in FENCE.finditer(markdown):
        parts += [NAMED.sub(link, markdown[end : fence.start()]), fence[0]]
        end = fence.end()
    return "".join([*parts, NAMED.sub(link, markdown[end:])])


def _first_sentence(text: str) -> str:
    return re.split(r"(?<=[.:?])\s", " ".join(text.split()), maxsplit=1)[0].rstrip(":")


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text.rstrip() + "\n", encoding="utf-8")
