"""Prints reports, or writes them to the file named by -o."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ._errors import CommandError
from ._say import encoding_of, say

if TYPE_CHECKING:
    from ..diagnosis import Diagnosis

LOG_WIDTH = 80
WIDEST = 100  # longer lines are hard to read


def deliver(diagnoses: Sequence[Diagnosis], arguments: argparse.Namespace) -> None:
    """Render in the format asked for, and say nothing more."""
    from ..reports import format_of, render_all

    chosen = arguments.format or (format_of(arguments.output) if arguments.output else "text")
    if arguments.output:
        text = render_all(diagnoses, chosen, why=arguments.why, width=LOG_WIDTH)
        try:
            arguments.output.write_text(text, encoding="utf-8", errors="backslashreplace")
        except OSError as error:
            raise CommandError(f"{arguments.output} cannot be written ({error.strerror})") from None
        return
    text = render_all(
        diagnoses,
        chosen,
        why=arguments.why,
        width=_width(),
        colour=_colour(),
        ascii_only=not encoding_of(sys.stdout).startswith("utf"),
    )
    say(text, end="")


def _width() -> int:
    return min(shutil.get_terminal_size().columns, WIDEST) if sys.stdout.isatty() else LOG_WIDTH


def _colour() -> bool:
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
