"""Runs a user's script so that it cannot write, delete, connect or leave anything behind.

`choose` finds the strongest mode that this system offers, and `Isolation.command` is the command that runs a module of
ours with the script inside. Writes go to a layer that the script itself sees and that ends with it.

kernel: namespaces and overlays (`_kernel`), Linux without privileges. The script may do anything.
python: Python's own file functions are redirected (`python_layer`), under a fence of the operating system (Landlock on
        Linux, Seatbelt on macOS) that refuses what the layer does not know.
off:    the real thing, only with `--in-place`.
"""

from ._choose import Isolation, IsolationError, available_modes, choose
from ._state import current_mode, fresh_layer

__all__ = ["Isolation", "IsolationError", "available_modes", "choose", "current_mode", "fresh_layer"]
