"""How a Python process of our own is started, so that nothing in the working folder takes part in it.

`python -m` puts the working folder in front of the standard library: a `json.py` or a `traindx/` there, meant or not,
would run inside our process, and before anything is isolated.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

# What the installed command `traindx` has in that place. With -P there is no such entry.
BOOT = """
import os, sys
if not getattr(sys.flags, "safe_path", False):
    sys.path[0] = os.path.dirname(sys.executable)
from {module} import main
sys.exit(main(sys.argv[1:]))
"""


def python_command(module: str, words: Sequence[str]) -> list[str]:
    """What to start so that `main(words)` of `module` runs in a fresh interpreter."""
    return [sys.executable, "-c", BOOT.format(module=module), *words]
