"""Runs a user's script so that it cannot write, delete, connect or leave anything behind.

`choose` finds the strongest mode that this system offers. `Isolation.command` returns the command that runs a module of
traindx, and the script inside it, in that mode. Writes go to a copy-on-write layer: the script sees them, and they are
gone when it ends.

kernel: namespaces and overlays (`_kernel`), on Linux, without privileges. The script may call anything.
python: Python's file functions are redirected (`python_layer`). A sandbox of the operating system (Landlock on Linux,
        Seatbelt on macOS) refuses every other write. It is called the *fence* here.
off:    no isolation, only with `--in-place`.
"""

from ._choose import Isolation, IsolationError, available_modes, choose
from ._state import current_mode, fresh_layer

__all__ = ["Isolation", "IsolationError", "available_modes", "choose", "current_mode", "fresh_layer"]
