"""An arm that runs the script with a fix: the patched text in place of the files, or changed arguments."""

from __future__ import annotations

from pathlib import Path

from ..causes import Fix
from ..edits import Project, patched_texts
from ..record import Run
from ._arms import Arm


def fixed_script(fix: Fix, control: Run, args: tuple[str, ...]) -> Arm | None:
    """The arm; None if there is neither a patch that fits the files nor an argument to change."""
    project = Project.of(control)
    if fix.patch is not None and project is not None:
        texts = patched_texts(fix.patch, project.root)
        sources = {str(Path(path).absolute()): text for path, text in (texts or {}).items()}
        return Arm("patched script", sources=sources) if sources else None
    recorded = tuple(str(word) for word in control.fact("script").get("argv") or ())
    if not fix.argv or not len(fix.argv) == len(recorded) == len(args):
        return None
    # The record masks arguments that may be secrets, so arguments that the fix does not change come from `args`.
    changed = tuple(new if new != old else own for new, old, own in zip(fix.argv, recorded, args, strict=True))
    return Arm(f"script with {fix.code}", args=changed) if changed != args else None
