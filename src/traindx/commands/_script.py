"""The script argument of verbs that probe a script, and the options of verbs that measure a checkpoint on a batch."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from ..observe.runner import ScriptError, find_program
from ..observe.runner.running import UNREADABLE
from ._say import CommandError, say

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
    except UNREADABLE as error:
        line = f", line {error.lineno}" if isinstance(error, SyntaxError) and error.lineno else ""
        raise CommandError(f"{arguments.script}{line}: {getattr(error, 'msg', error)}") from None
    _tell_misplaced(arguments)
    return Script(arguments.script, tuple(arguments.args), arguments.module, arguments.in_place)


HOW = {
    "kernel": "isolated",
    "python": "isolated (by Python: other programs and sockets are refused)",
    "off": "without isolation",
}


def announce(verb: str, script: Script) -> None:
    """Print what starts now, and how it is isolated. Raises if the script cannot be isolated."""
    say(f"traindx {verb}: running {script} {HOW[script.isolation.mode]} …", sys.stderr)
    sys.stderr.flush()


def misplaced(arguments: argparse.Namespace) -> list[str]:
    """Options of traindx that stand after the script's name, and so go to the script."""
    words = [word.partition("=")[0] for word in arguments.args]
    return [word for word in words if word.startswith("--") and word in arguments.own_options]


def mentions(arguments: argparse.Namespace, option: str) -> bool:
    """Whether the script's text names the option; a module may consist of several files, so it may."""
    try:
        text = "" if arguments.module else Path(arguments.script).read_text(encoding="utf-8", errors="replace")
    except (OSError, ValueError):
        return True
    name = option.strip("-")
    return arguments.module or name in text or name.replace("-", "_") in text


def _tell_misplaced(arguments: argparse.Namespace) -> None:
    """Warn of options of traindx after the script's name; raise if the script does not know them."""
    for word in misplaced(arguments):
        if not mentions(arguments, word):
            raise CommandError(
                f"{word} follows {arguments.script} and would go to the script, which does not know it: "
                "write it before the script's name"
            )
        say(
            f"note: {word} follows {arguments.script} and goes to the script; write it before the script's name to "
            "give it to traindx",
            sys.stderr,
        )


def add_model_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--model",
        metavar="M",
        help="package.module:factory, or a file: .pt2, TorchScript, pickled module (default: the checkpoint)",
    )
    parser.add_argument("--checkpoint", type=Path, metavar="FILE", help="weights for the factory: .pt or .safetensors")
    parser.add_argument("--data", type=Path, required=True, metavar="D", help="a batch: .pt, .npz or .safetensors")
    parser.add_argument("--train-mode", action="store_true", help="measure in train mode (default: eval mode)")
    parser.add_argument(
        "--trust-pickle", action="store_true", help="also load files that can run code (only for files of your own)"
    )
    add_in_place(parser)
    parser.add_argument("--plot", type=Path, metavar="FILE", help="draw the layers into FILE (needs matplotlib)")
    parser.add_argument("--format", choices=("text", "json"), default="text", help="how to print (default: text)")
