"""How paths are shown to the user, and the folders in which traindx stores its own files."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def shown(path: str) -> str:
    """Return the path relative to the working folder if it is below it, or else unchanged."""
    try:
        return str(Path(path).relative_to(Path.cwd()))
    except (ValueError, OSError):  # not below it, or the working folder has been deleted
        return path


def unused(folder: Path, name: str) -> Path:
    """Return the path of a new record in the folder, with a number where the name is taken."""
    path, number = folder / f"{name}.tdx", 2
    while path.exists():
        path, number = folder / f"{name}-{number}.tdx", number + 1
    return path


def data_folder() -> Path:
    """Return the folder for data to keep: $XDG_DATA_HOME/traindx or ~/.local/share/traindx. Does not create it."""
    return _own_folder("XDG_DATA_HOME", ".local/share")


def cache_folder() -> Path:
    """Return the folder for what can be made again: $XDG_CACHE_HOME/traindx or ~/.cache/traindx. Does not create it."""
    return _own_folder("XDG_CACHE_HOME", "Library/Caches" if sys.platform == "darwin" else ".cache")


def state_folder() -> Path:
    """Return the folder for backups and logs: $XDG_STATE_HOME/traindx or ~/.local/state/traindx. Does not create it."""
    return _own_folder("XDG_STATE_HOME", ".local/state")


def _own_folder(variable: str, usual: str) -> Path:
    named = Path(os.environ.get(variable) or "")
    # The XDG specification says to ignore relative paths in these variables.
    return (named if named.is_absolute() else Path("~").expanduser() / usual) / "traindx"
