"""Ends an isolated process: its exit code, and what Python usually does before it exits."""

from __future__ import annotations

import atexit
import sys
import traceback
from collections.abc import Callable


def ended(work: Callable[[], int]) -> int:
    """Run `work`, then what Python does at exit (`atexit` functions, flushing), and return the exit code."""
    try:
        code = work()
    except SystemExit as leaving:
        code = leaving.code if isinstance(leaving.code, int) else int(leaving.code is not None)
    except BaseException:
        traceback.print_exc()
        code = 1
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (AttributeError, OSError, ValueError):
            pass
    return code
