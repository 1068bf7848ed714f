"""The script that a probe drives, as verbs take it from the command line."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from ..observe.runner import ScriptError, find_program
from ._errors import CommandError

if TYPE_CHECKING:
    from ..probes.launch import Script


def add_in_place(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--in-place",
        action="store_true",
        help="run for real instead of isolated: it writes, deletes and connects as it always does",
    )


def add_script(parser: argparse.ArgumentParser) -> None:
    add_in_place(parser)
    parser.add_argument("-m", action="store_true", dest="module", help="run a module, as python -m does")
    parser.add_argument("script", help="the training script (or module, with -m)")
    parser.add_argument("args", nargs=argparse.REMAINDER, help="its arguments")


def script_of(arguments: argparse.Namespace) -> Script:
    """Refuses at once what could not be started anyway."""
    from ..probes.launch import Script

    try:
        find_program(arguments.script, arguments.module)
    except ScriptError as error:
        raise CommandError(str(error)) from None
    except SyntaxError as error:
        raise CommandError(f"{arguments.script}, line {error.lineno}: {error.msg}") from None
    return Script(arguments.script, tuple(arguments.args), arguments.module, arguments.in_place)
