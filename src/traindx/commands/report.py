"""Write one self-contained page about runs: verdict, causes, curves, layers, time.

Takes run records (.tdx), logs and folders; without an argument, the newest
record in ./traindx-runs. The page opens from disk or a mail without a network
and loads nothing. Several runs are drawn over each other on one page.

Exit codes: 0; 2 when an input cannot be read or the command line is wrong.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from ._errors import CommandError
from ._inputs import newest_record, runs_at
from ._options import add_log_columns
from ._say import say

USUAL = Path("report.html")
HELP = "write one self-contained page with charts"


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("inputs", nargs="*", type=Path, metavar="RUN|LOG|DIR", help="record, log or folder")
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help=f"default: {USUAL}")
    parser.add_argument("--all-runs", action="store_true", help="show every run of a log that holds several")
    add_log_columns(parser)


def run(arguments: argparse.Namespace) -> int:
    from ..diagnosis import diagnose
    from ..history import with_similar_case
    from ..readers import Options
    from ..reports.page import is_page
    from ._output import check_writable, write
    from ._page import page_of

    inputs = arguments.inputs or [newest_record()]
    output = arguments.output or USUAL
    check_writable(output, inputs=inputs)
    if arguments.output is None and output.exists() and not is_page(output):
        raise CommandError(f"{output} exists and is no page of traindx; name a file: -o FILE")
    options = Options.of(arguments.map, arguments.step)
    runs = [found for path in inputs for found in runs_at(path, options, arguments.all_runs)[0]]
    page = page_of([(found, with_similar_case(diagnose(found))) for found in runs])
    write(output, page)
    say(f"{output} ({len(page.encode('utf-8')) / 1e6:.1f} MB)")
    return 0
