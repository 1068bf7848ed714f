"""The first thing that a child does: confine itself, then do what its words say."""

from __future__ import annotations

import os
import sys

CONFINED = "--confined="


def main() -> int:
    """`[--confined=FOLDERS] VERB …`, as on the command line."""
    words = sys.argv[1:]
    if words and words[0].startswith(CONFINED):
        from .confinement import confine

        confine([folder for folder in words.pop(0).removeprefix(CONFINED).split(os.pathsep) if folder])
    from ....__main__ import main as command_line

    return command_line(words)
