"""Isolation without namespaces: Python's file functions are redirected to a copy-on-write layer.

`_tree` knows which file of the layer stands for which real file. `_files` redirects `open` and the functions of `os`.
`_libraries` redirects compiled code that training scripts often write with. `_run` starts all of it and refuses
everything else (other programs, sockets) before it happens. In addition, the fence of the operating system (Landlock,
Seatbelt) refuses every write outside the layer.
"""

from ._run import run_layered

__all__ = ["run_layered"]
