"""Isolation without namespaces: Python's file functions are redirected to a copy-on-write layer.

`_tree` knows which file of the layer stands for which file of the user's, `_files` redirects `open` and the functions
of `os`, `_libraries` those compiled writers that are common in trainings, and `_refusals` refuses what none of these
handles (other programs, sockets) before anything is touched. Below all this the operating system's fence (Landlock,
Seatbelt) refuses every write outside the layer, whoever makes it.
"""

from ._run import run_layered

__all__ = ["run_layered"]
