"""Compare runs: what differs, which is best, and which setting explains it.

Takes run records (.tdx), logs and folders; folders expand to all logs in them.
Runs are ranked by their best validation loss, or else by their final training
loss; the column "final" is the median over the last twentieth of a run.
Settings come from what the records and logs contain: the observed optimizer,
the configuration in or beside the log, the script's arguments, and as a last
resort the names of files and folders. Runs with equal settings and different
seeds are repeats; they show the noise.

Exit codes: 0; 2 if an input cannot be read or the command line is wrong.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from ..reports.comparison import FORMATS
from ._errors import CommandError
from ._options import add_log_columns
from ._say import say

if TYPE_CHECKING:
    from ..comparison import Comparison

WIDTH = 30  # of the bar
HELP = "compare runs: what differs, which is best, and why"


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("inputs", nargs="+", type=Path, metavar="RUN|LOG|DIR", help="records, logs or folders of them")
    parser.add_argument("--format", choices=FORMATS, help="default: by the suffix of the -o file, else text")
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="write to FILE instead of the terminal")
    parser.add_argument(
        "--metric", metavar="NAME", help="compare by this: train, validation, accuracy or a log's column"
    )
    parser.add_argument("--higher-is-better", action="store_true", help="higher values of the --metric are better")
    parser.add_argument(
        "--level", type=float, metavar="VALUE", help="count the steps until the metric reaches this value"
    )
    parser.add_argument("--all", action="store_true", help="show every run, however many there are")
    add_log_columns(parser)


def run(arguments: argparse.Namespace) -> int:
    from ..comparison import Metric, compare, gather, higher_is_better, places_at
    from ..readers import Options, ReaderError
    from ._output import check_writable

    check_writable(arguments.output, inputs=arguments.inputs)
    options = Options.of(arguments.map, arguments.step)
    metric = None
    if arguments.metric:
        metric = Metric(arguments.metric, arguments.higher_is_better or higher_is_better(arguments.metric))
    elif arguments.higher_is_better:
        raise CommandError("--higher-is-better needs a --metric")
    unreadable = False
    places = []
    for path in dict.fromkeys(arguments.inputs):
        try:
            places += places_at(path)
        except ReaderError as error:
            say(f"traindx compare: {error}", sys.stderr)
            unreadable = True
    bar = Bar("reading runs")
    gathered = gather(places, options, metric, bar)
    bar.close()
    for reason in gathered.failed:
        say(f"traindx compare: {reason}", sys.stderr)
    for sentence in gathered.skipped.sentences():
        say(f"traindx compare: {sentence}", sys.stderr)
    measured = [outcome for outcome in gathered.outcomes if not metric or metric.name in outcome.measured]
    if not measured:
        if unreadable or gathered.failed:
            return 2
        wanted = f"a column {metric.name!r}" if metric else "a loss"
        raise CommandError(f"nothing to compare: none of the runs has {wanted}")
    _deliver(compare(gathered.outcomes, metric, arguments.level), arguments)
    return 2 if unreadable or gathered.failed else 0


def _deliver(comparison: Comparison, arguments: argparse.Namespace) -> None:
    from ..reports.comparison import format_of, render
    from ._output import LOG_WIDTH, terminal_look, write

    chosen = arguments.format or (format_of(arguments.output) if arguments.output else "text")
    if arguments.output:
        write(arguments.output, render(comparison, chosen, why=arguments.all, width=LOG_WIDTH))
    else:
        say(render(comparison, chosen, why=arguments.all, **terminal_look()), end="")


class Bar:
    """A progress bar on stderr. Call it with (done, total); `close` removes it."""

    def __init__(self, label: str) -> None:
        self._label = label
        self._started = time.monotonic()
        self._drawn = 0.0
        self._visible = sys.stderr.isatty()

    def __call__(self, done: int, total: int) -> None:
        now = time.monotonic()
        if not self._visible or total < 2 or (now - self._drawn < 0.1 and done < total):
            return
        self._drawn = now
        full = WIDTH * done // total
        left = (now - self._started) / done * (total - done) if done else 0.0
        sys.stderr.write(f"\r{self._label} [{'#' * full}{'.' * (WIDTH - full)}] {done}/{total}, {left:.0f} s left ")
        sys.stderr.flush()

    def close(self) -> None:
        if self._visible and self._drawn:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
