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
from functools import partial
from pathlib import Path

from ..reports.comparison import FORMATS
from ._inputs import add_log_columns, add_output, read_each
from ._progress import Bar
from ._say import CommandError, complain

HELP = "compare runs: what differs, which is best, and why"


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("inputs", nargs="*", type=Path, metavar="RUN|LOG|DIR", help="records, logs or folders of them")
    parser.add_argument("--runs", nargs="+", type=Path, default=[], metavar="RUN|LOG|DIR", help="the same, by name")
    add_output(parser, FORMATS)
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
    from ..comparison import Metric, compare, gather, higher_is_better
    from ..readers import Options
    from ..readers.folders import places_at
    from ..reports.comparison import render
    from ._output import check_writable, deliver

    inputs = [*arguments.inputs, *arguments.runs]
    if not inputs:
        raise CommandError("name the runs to compare: records, logs or folders of them")
    check_writable(arguments.output, inputs=inputs)
    options = Options.of(arguments.map, arguments.step)
    metric = None
    if arguments.metric:
        metric = Metric(arguments.metric, arguments.higher_is_better or higher_is_better(arguments.metric))
    elif arguments.higher_is_better:
        raise CommandError("--higher-is-better needs a --metric")
    places, unreadable = read_each("compare", inputs, places_at)
    bar = Bar("reading runs")
    gathered = gather(places, options, metric, bar)
    bar.close()
    for reason in (*gathered.failed, *gathered.skipped.sentences()):
        complain("compare", reason)
    measured = [outcome for outcome in gathered.outcomes if not metric or metric.name in outcome.measured]
    if not measured:
        if unreadable or gathered.failed:
            return 2
        wanted = f"a column {metric.name!r}" if metric else "a loss"
        raise CommandError(f"nothing to compare: none of the runs has {wanted}")
    found = compare(gathered.outcomes, metric, arguments.level)
    deliver(arguments, {name: partial(render, found, name, why=arguments.all) for name in FORMATS})
    return 2 if unreadable or gathered.failed else 0
