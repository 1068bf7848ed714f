"""How a path is shown to a person, and where traindx keeps what is its own."""

from __future__ import annotations

import os
from pathlib import Path


def shown(path: str) -> str:
    """As the user would type it: relative to the working folder where it lies below it, else as it is."""
    try:
        return str(Path(path).relative_to(Path.cwd()))
    except (ValueError, OSError):  # elsewhere, or the working folder is gone
        return path


def data_folder() -> Path:
    """What should outlive a session: $XDG_DATA_HOME/traindx, by default ~/.local/share/traindx. Not created here."""
    return _own_folder("XDG_DATA_HOME", ".local/share")


def state_folder() -> Path:
    """Backups and logs: $XDG_STATE_HOME/traindx, by default ~/.local/state/traindx. Not created here."""
    return _own_folder("XDG_STATE_HOME", ".local/state")


def _own_folder(variable: str, usual: str) -> Path:
    named = Path(os.environ.get(variable) or "")
    # The specification says that relative paths in these variables are to be ignored.
    return (named if named.is_absolute() else Path("~").expanduser() / usual) / "traindx"
