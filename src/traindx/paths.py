"""How a path is shown to a person: as they would type it from where they are."""

from __future__ import annotations

from pathlib import Path


def shown(path: str) -> str:
    """Relative to the working folder where it lies below it, else as it is."""
    try:
        return str(Path(path).relative_to(Path.cwd()))
    except (ValueError, OSError):  # elsewhere, or the working folder is gone
        return path
