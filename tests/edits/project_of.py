"""Makes a project of sources in a folder, and applies patches as a user would."""

from __future__ import annotations

import subprocess
from pathlib import Path

from traindx.edits import Edits, Project
from traindx.record.site import Site


def project(folder: Path, text: str, *, argv: list[str] | None = None, **others: str) -> Project:
    """A project whose script is `text`; further files by name."""
    script = folder / "train.py"
    script.write_bytes(text.encode())
    for name, source in others.items():
        (folder / f"{name}.py").write_text(source)
    return Project(script, argv or [], [], folder)


def site(made: Project, line: int) -> Site:
    return Site(str(made.script), line, made.script.read_text().splitlines()[line - 1].strip())


def applied(edits: Edits) -> str:
    """The script after `patch -p1`."""
    patch = edits.patch()
    assert patch is not None
    root = edits.project.root
    subprocess.run(["patch", "-p1", "--fuzz=0", "-s"], cwd=root, input=patch.encode(), check=True)
    return (root / "train.py").read_bytes().decode()
