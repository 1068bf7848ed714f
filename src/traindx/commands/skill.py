"""Print a skill file that teaches a coding assistant to use traindx.

It explains when to use traindx, the rules (diagnose before fixing, never tune
by trial and error, one change at a time), the commands, how to read their
answers and what exit codes mean. Put it where your assistant looks for skills,
for example: traindx skill > .claude/skills/traindx/SKILL.md
"""

from __future__ import annotations

import argparse
from importlib.resources import files

from ._say import say

HELP = "print a skill file for coding assistants"


def configure(parser: argparse.ArgumentParser) -> None:
    pass


def run(arguments: argparse.Namespace) -> int:  # noqa: ARG001
    say(files("traindx.consult.assistants").joinpath("skill.md").read_text(encoding="utf-8"), end="")
    return 0
