"""The entry point of a child: it confines itself, then runs its command.

Its arguments are `[--confined=FOLDERS] VERB …`, as on the command line, or `[--confined=FOLDERS] :READING`, a module of
`readings/` that gets its arguments as JSON on stdin.
"""

from __future__ import annotations

import json
import os
import sys
from importlib import import_module

CONFINED = "--confined="
READINGS = f"{__name__.rpartition('.')[0]}.readings"


def main(words: list[str]) -> int:
    _end_with_server()
    if words and words[0].startswith(CONFINED):
        from .confinement import confine

        confine([folder for folder in words.pop(0).removeprefix(CONFINED).split(os.pathsep) if folder])
    if words and words[0].startswith(":"):
        return _read(words[0][1:])
    from ....__main__ import main as command_line

    return command_line(words)


def _read(name: str) -> int:
    from ....readers import ReaderError
    from ....record import RecordError
    from .problem import Problem

    arguments = json.load(sys.stdin)
    try:
        found = import_module(f"{READINGS}.{name}").read(**arguments)
    except (Problem, ReaderError, RecordError) as error:
        print(" ".join(str(error).split()), file=sys.stderr)
        return 2
    json.dump(found, sys.stdout)
    return 0


def _end_with_server() -> None:
    """Make the kernel kill this process if the server is killed (Linux)."""
    if sys.platform == "linux":
        import ctypes
        import signal

        ctypes.CDLL(None).prctl(1, signal.SIGKILL, 0, 0, 0)  # PR_SET_PDEATHSIG
        if os.getppid() == 1:  # the server is already dead
            sys.exit(1)
