"""Prints reports, or writes them to the file named by -o."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ._errors import CommandError
from ._say import encoding_of, say

if TYPE_CHECKING:
    from ..diagnosis import Diagnosis

LOG_WIDTH = 80
NARROWEST = 60  # below this the terminal folds better than we do
WIDEST = 100  # longer lines are hard to read


def deliver(diagnoses: Sequence[Diagnosis], arguments: argparse.Namespace) -> None:
    """Render in the format asked for, and say nothing more."""
    from ..reports import format_of, render_all

    chosen = arguments.format or (format_of(arguments.output) if arguments.output else "text")
    if arguments.output:
        text = render_all(diagnoses, chosen, why=arguments.why, width=LOG_WIDTH)
        write(arguments.output, text)
        return
    say(render_all(diagnoses, chosen, why=arguments.why, **terminal_look()), end="")


def write(path: Path, content: str | bytes) -> None:
    """Write a file that the user named; one clear line when that cannot be done."""
    try:
        data = content if isinstance(content, bytes) else content.encode("utf-8", "backslashreplace")
        path.write_bytes(data)
    except OSError as error:
        raise CommandError(f"{path} cannot be written ({error.strerror})") from None


def terminal_look() -> dict[str, Any]:
    """How a report should look on standard output: its width, colour and characters."""
    terminal = sys.stdout.isatty()
    return {
        "width": max(NARROWEST, min(shutil.get_terminal_size().columns, WIDEST)) if terminal else LOG_WIDTH,
        "colour": terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb",
        "ascii_only": not encoding_of(sys.stdout).startswith("utf"),
    }
