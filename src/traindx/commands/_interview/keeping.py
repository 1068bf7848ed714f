"""Saves an interview to a file, so that Ctrl-C or a lost connection loses nothing."""

from __future__ import annotations

import json
import os
import sys
import time
from contextlib import suppress
from pathlib import Path

from ...consult.interview import State, checked
from ...paths import shown, state_folder
from .._errors import CommandError
from .._say import say

FOLDER = "interviews"


class Keeping:
    """The file of one interview: the one that the user named, or one in traindx's state folder, which is deleted at the
    end."""

    def __init__(self, named: Path | None) -> None:
        self.named = named
        self.path = named or state_folder() / FOLDER / f"{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}.json"
        self._failed = False

    def load(self) -> State | None:
        """The interview in the named file; None if there is none yet."""
        if self.named is None or not self.named.exists():
            return None
        try:
            state: State = json.loads(self.named.read_text(encoding="utf-8"))
        except OSError as error:
            raise CommandError(f"{self.named} cannot be read ({(error.strerror or 'unknown').lower()})") from None
        except ValueError:
            raise CommandError(f"{self.named} contains no interview (it is not JSON)") from None
        checked(state)
        return state

    def save(self, state: State, only_if_named: bool = False) -> None:
        """Write a new file and rename it, so that the file is complete at every moment. Only the user can read it."""
        if self._failed or (only_if_named and self.named is None):
            return
        beside = self.path.with_name(f"{self.path.name}.{os.getpid()}.new")
        try:
            if self.named is None:
                self.path.parent.mkdir(parents=True, exist_ok=True)
            with open(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
                json.dump(state, file, indent=1)
            beside.replace(self.path)
        except OSError as error:
            self._failed = True
            with suppress(OSError):
                beside.unlink()
            if self.named is not None:
                raise CommandError(f"{self.path} cannot be written ({(error.strerror or 'unknown').lower()})") from None
            say(f"traindx ask: this interview is not kept ({(error.strerror or 'unknown').lower()})", sys.stderr)

    def interrupted(self) -> None:
        """Print how to continue."""
        if not self._failed and self.path.exists():
            say(f"Saved. To continue: traindx ask --resume {shown(str(self.path))}", sys.stderr)

    def finish(self) -> None:
        """Delete the file at the end, unless the user named it."""
        if self.named is None:
            with suppress(OSError):
                self.path.unlink()
