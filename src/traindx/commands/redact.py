"""Make a record safe to send: keep the measurements, remove what is private.

Takes a run record (.tdx) and writes another one without the values of the
script's arguments, without folders (files keep their base names), without
exception messages (their types stay), configurations, host names and source
lines. Numbers, curves, and the names of layers, parameters and classes stay:
the new record gives the same diagnosis, but cannot show lines of the script.
--keep-source keeps the source lines.

docs/privacy.md lists what a record contains.

Exit codes: 0; 2 if the record cannot be read or written.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from ._say import CommandError, say

HELP = "make a record safe to send: no arguments, paths or messages"


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("record", type=Path, metavar="RUN", help="the record (.tdx)")
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="FILE", help="the new record (.tdx)")
    parser.add_argument("--keep-source", action="store_true", help="keep the script's source lines that fixes show")


def run(arguments: argparse.Namespace) -> int:
    from ..record import load
    from ..record.reading import save
    from ..record.redacting import redacted

    if arguments.output.exists():
        raise CommandError(f"{arguments.output} exists already; name a new file")
    save(redacted(load(arguments.record), keep_source=arguments.keep_source), arguments.output)
    say(f"{arguments.output} contains no argument values, folders or messages; names of files and layers stay.")
    return 0
