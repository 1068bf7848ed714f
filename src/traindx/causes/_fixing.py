"""What fixes are written with: edits of the user's source, and a pattern where no edit is certain."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any

from ..edits import Edits, Project
from ..record import Run
from ..record.site import Located, Site
from ..record.values import entries, histogram, mapping, number, text, texts
from ..signs import Signs
from ..wording import sentence
from ._base import Fix, Safety
from ._frameworks import pattern_for

__all__ = [
    "Fix", "Run", "Safety", "Signs", "assigned_at", "begin", "entries", "fixed", "histogram", "mapping", "number",
    "raised", "said", "text", "texts",
]  # fmt: skip


def begin(run: Run) -> Edits:
    """Edits of the run's project, which is empty if its source is missing or has changed since the run."""
    return Edits(Project.of(run) or Project.without_sources())


def assigned_at(edits: Edits, entry: Located) -> str:
    """The name to which the script assigns what it makes on an entry's line; empty if that is not one assignment."""
    made = [statement for _, statement in edits.project.statements(entry.site)]
    return ast.unparse(made[0].targets[0]) if len(made) == 1 and isinstance(made[0], ast.Assign) else ""


def raised(signs: Signs, name: str) -> bool:
    return (signs.level(name) or 0.0) >= 0.5


def said(signs: Signs, *names: str) -> str:
    """The finding of the first of these signs that is raised, to append to a sentence; empty if none is."""
    return next((f" {sentence(signs[name].text)}" for name in names if name in signs and signs[name].raised), "")


def fixed(
    run: Run,
    summary: str,
    edits: Edits | None,
    pattern: str,
    *,
    near: Site | Located | None = None,
    safety: Safety = "changes-result",
    words: Mapping[str, str] | None = None,
    sets: Mapping[str, Any] | None = None,
) -> Fix:
    """The fix as a patch; else the summary, the line nearest to the place and a pattern to adapt.

    `near` is that line, or an entry of the record that has one. `words` holds the pattern for frameworks that run the
    loop themselves, by name.
    """
    sets = sets or {}
    patch = edits.patch() if edits is not None else None
    place = edits.place() if edits is not None and patch else None
    if patch and place:
        source, line = place
        code = "\n".join(row[1:] for row in patch.splitlines() if row.startswith("+") and not row.startswith("+++"))
        return Fix(summary, code, Site(str(source.path), line, source.line(line).strip()), safety, patch, sets)
    shown = pattern_for(run, words or {}, pattern)
    if shown and (run.kind == "observed" or run.script):
        changed = Project.changed_of(run)
        why = f"{changed[0].name} has changed since the run" if changed else "The line to change is not known"
        summary = f"{summary} {why}: adapt the pattern{', or run it again for a patch' if changed else ''}."
    site = near if near is None or isinstance(near, Site) else near.site
    # Without the line's text: the pattern does not replace that line.
    return Fix(summary, shown, Site(site.file, site.line) if site else None, safety, sets=sets)
