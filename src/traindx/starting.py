"""Starts a Python process that imports nothing from the working folder.

`python -m` puts the working folder before the standard library in `sys.path`. A `json.py` or a `traindx/` there would
run in the process of traindx, before anything is isolated.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

# Replaces the entry of the working folder by what the installed command `traindx` has there. With -P there is none.
BOOT = """
import os, sys
if not getattr(sys.flags, "safe_path", False):
    sys.path[0] = os.path.dirname(sys.executable)
from {module} import main
sys.exit(main(sys.argv[1:]))
"""


def python_command(module: str, words: Sequence[str]) -> list[str]:
    """Return the command that runs `main(words)` of `module` in a new interpreter."""
    return [sys.executable, "-c", BOOT.format(module=module), *words]
