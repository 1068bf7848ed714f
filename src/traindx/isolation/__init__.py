"""Runs a user's script so that it cannot write, delete, connect or leave anything behind.

`choose` finds the strongest mode that this system offers. `Isolation.command` returns the command that runs a module of
traindx, and the script inside it, in that mode. Writes go to a copy-on-write layer: the script sees them, and they are
gone when it ends.

kernel: namespaces and overlays (`_kernel`), on Linux, without privileges. The script may call anything but what would
        change mounts, namespaces, clocks and other processes (`_seccomp`), and has no capability that would let it.
python: Python's file functions are redirected (`python_layer`). A sandbox of the operating system, called the *fence*
        here, refuses every other write (Landlock on Linux, Seatbelt on macOS), and `_seccomp` what Landlock does not
        see. Root gets no such mode: the fence stops fewer of root's ways than namespaces do.
off:    no isolation, only with `--in-place`.
"""

from ._choose import Isolation, IsolationError, available_modes, choose
from ._state import CANNOT_ISOLATE, current_mode, fork_with_layer

__all__ = [
    "CANNOT_ISOLATE",
    "Isolation",
    "IsolationError",
    "available_modes",
    "choose",
    "current_mode",
    "fork_with_layer",
]
