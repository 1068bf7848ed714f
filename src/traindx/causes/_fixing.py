"""Turns edits of the user's source into a fix; without a certain place a fix is prose with a pattern."""

from __future__ import annotations

from collections.abc import Mapping

from ..edits import Edits, Project
from ..record import Run
from ._base import Fix, Safety, Site
from ._frameworks import framework, pattern_for


def begin(run: Run) -> Edits | None:
    """Edits of the run's project, or None where its source is not here or has changed since."""
    project = Project.of(run)
    return Edits(project) if project is not None else None


def fixed(
    run: Run,
    summary: str,
    edits: Edits | None,
    pattern: str,
    *,
    near: Site | None = None,
    safety: Safety = "changes-result",
    words: Mapping[str, str] | None = None,
) -> Fix:
    """The fix as a patch; else the summary, the line nearest to the place and a pattern to adapt.

    `words` holds the pattern for other frameworks than PyTorch, by name, for runs that are read from a log.
    """
    patch = edits.patch() if edits is not None else None
    place = edits.place() if edits is not None and patch else None
    if patch and place:
        source, line = place
        code = "\n".join(row[1:] for row in patch.splitlines() if row.startswith("+") and not row.startswith("+++"))
        return Fix(summary, code, Site(str(source.path), line, source.line(line).strip()), safety, patch)
    if framework(run) == "torch" and pattern:
        summary = f"{summary} The place is not known; adapt the pattern."
    # Without the line's text: the pattern does not replace that line.
    where = Site(near.file, near.line) if near else None
    return Fix(summary, pattern_for(run, words or {}, pattern), where, safety)
