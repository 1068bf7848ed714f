"""The script argument of verbs that probe a script."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from ..observe.runner import ScriptError, find_program
from ._errors import CommandError
from ._say import say

if TYPE_CHECKING:
    from ..probes.launch import Script

LOGS = (".tdx", ".csv", ".tsv", ".json", ".jsonl", ".log")


def add_in_place(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--in-place",
        action="store_true",
        help="run without isolation: the script writes, deletes and connects as usual",
    )


def add_script(parser: argparse.ArgumentParser) -> None:
    add_in_place(parser)
    parser.add_argument("-m", action="store_true", dest="module", help="run a module, as python -m does")
    parser.add_argument("script", help="the training script (or module, with -m)")
    parser.add_argument("args", nargs=argparse.REMAINDER, help="its arguments")
    parser.set_defaults(own_options=frozenset(parser._option_string_actions))


def refuse_log(script: str, module: bool) -> None:
    """Raise if the script is in fact a log or a record, which Python would try to run."""
    if not module and Path(script).suffix.lower() in LOGS and Path(script).is_file():
        raise CommandError(f"{script} is a log or a record, not a script: use traindx diagnose {script}")


def script_of(arguments: argparse.Namespace) -> Script:
    """The script. Raises at once if it cannot be started."""
    from ..probes.launch import Script

    refuse_log(arguments.script, arguments.module)
    try:
        find_program(arguments.script, arguments.module)
    except ScriptError as error:
        raise CommandError(str(error)) from None
    except SyntaxError as error:
        raise CommandError(f"{arguments.script}, line {error.lineno}: {error.msg}") from None
    _tell_misplaced(arguments)
    return Script(arguments.script, tuple(arguments.args), arguments.module, arguments.in_place)


HOW = {
    "kernel": "isolated",
    "python": "isolated (by Python: other programs and sockets are refused)",
    "off": "without isolation",
}


def announce(verb: str, script: Script) -> None:
    """Print what starts now, and how it is isolated. Raises if the script cannot be isolated."""
    from ..probes.launch import ProbeError

    try:
        how = HOW[script.isolation.mode]
    except ProbeError as error:
        raise CommandError(str(error)) from None
    say(f"traindx {verb}: running {script} {how} …", sys.stderr)
    sys.stderr.flush()


def _tell_misplaced(arguments: argparse.Namespace) -> None:
    """Warn of options of traindx after the script's name, which go to the script; raise if the script does not know
    them."""
    words = [word.partition("=")[0] for word in arguments.args]
    misplaced = [word for word in words if word.startswith("--") and word in arguments.own_options]
    if not misplaced:
        return
    known = _source(arguments)
    for word in misplaced:
        names = {word.strip("-"), word.strip("-").replace("-", "_")}
        if known is not None and not any(name in known for name in names):
            raise CommandError(
                f"{word} follows {arguments.script} and would go to the script, which does not know it: "
                "write it before the script's name"
            )
        say(
            f"note: {word} follows {arguments.script} and goes to the script; write it before the script's name to "
            "give it to traindx",
            sys.stderr,
        )


def _source(arguments: argparse.Namespace) -> str | None:
    """The script's text; None for a module, which may consist of several files."""
    if arguments.module or not Path(arguments.script).is_file():
        return None
    return Path(arguments.script).read_text(encoding="utf-8", errors="replace")
