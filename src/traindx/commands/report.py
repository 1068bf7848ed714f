"""Write one self-contained page about runs: verdict, causes, curves, layers, time.

Takes run records (.tdx), logs and folders; without an argument, the newest
record in ./traindx-runs. The page opens from disk or from an e-mail,
without a network, and loads nothing. Several runs share one page and its
charts. Of more than twenty, the worst are shown in full and the others listed;
many logs are read on all cores, as `traindx diagnose` does.

Exit codes: 0; 2 if an input cannot be read or the command line is wrong.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from ._inputs import add_log_columns, newest_record, read_each, runs_at
from ._say import CommandError, say

USUAL = Path("report.html")
MADE_BY_US = b'<meta name="generator" content="traindx">'
HELP = "write one self-contained page with charts"


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("inputs", nargs="*", type=Path, metavar="RUN|LOG|DIR", help="record, log or folder")
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help=f"default: {USUAL}")
    add_log_columns(parser)


def run(arguments: argparse.Namespace) -> int:
    from ..diagnosis import diagnose
    from ..history import with_similar_case
    from ..readers import Options
    from ..spreading import FEW
    from ._output import check_writable, page_of, write
    from ._survey import page_of_survey, places_in, surveyed

    inputs = arguments.inputs or [newest_record()]
    output = arguments.output or _usual()
    check_writable(output, inputs=inputs)
    options = Options.of(arguments.map, arguments.step)
    places = places_in(inputs)
    if len(places) >= FEW and Path("-") not in inputs:
        found = surveyed("report", places, options)
        page, unreadable = page_of_survey(found, options) if found.answers else "", bool(found.failed)
    else:
        runs, unreadable = read_each("report", inputs, lambda path: runs_at(path, options))
        page = page_of([(found, with_similar_case(diagnose(found))) for found in runs]) if runs else ""
    if page:
        write(output, page)
        say(f"{output} ({len(page.encode('utf-8')) / 1e6:.1f} MB)")
    return 2 if unreadable else 0


def _usual() -> Path:
    """The default file. It is overwritten only if it is a page written by traindx."""
    try:
        ours = MADE_BY_US in USUAL.read_bytes()[:4096]
    except OSError:
        ours = not USUAL.exists()
    if not ours:
        raise CommandError(f"{USUAL} exists and is not a traindx page; choose another name with -o")
    return USUAL
