"""Draw runs: loss, validation, learning rate, gradients and activations over time.

Takes run records (.tdx), logs and folders; several runs share one chart. The
charts depend on what the runs contain: a log has losses and perhaps a learning
rate; a record of traindx run also has gradients and activations by layer. NaN
is drawn as red crosses. The suffix of the -o file chooses PNG, SVG, PDF or a
self-contained HTML page.

Needs matplotlib: pip install 'traindx[plot]'

Exit codes: 0; 2 if an input cannot be read or the command line is wrong.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ._errors import CommandError
from ._options import add_log_columns
from ._say import say

if TYPE_CHECKING:
    from ..comparison import Place, Skipped
    from ..readers import Options
    from ..record import Run

HELP = "draw the curves of runs into a picture or a page"
SUFFIXES = (".png", ".svg", ".pdf", ".html")
MOST_RUNS = 60  # more lines in one chart would be unreadable


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("inputs", nargs="+", type=Path, metavar="RUN|LOG|DIR", help="records, logs or folders of them")
    parser.add_argument(
        "-o", "--output", type=Path, required=True, metavar="FILE", help=f"the file to write ({', '.join(SUFFIXES)})"
    )
    parser.add_argument(
        "--chart", action="append", metavar="NAME", help="draw only this chart, such as loss (may be repeated)"
    )
    add_log_columns(parser)


def words(option: str) -> list[str]:
    """For shell completion."""
    from ..reports.plots import chart_names

    return chart_names() if option == "--chart" else []


def run(arguments: argparse.Namespace) -> int:
    from ..comparison import short_names
    from ..diagnosis import diagnose
    from ..readers import Options
    from ..reports.plots import Unavailable, charts_for, draw, subjects_of
    from ._output import check_writable, write

    suffix = arguments.output.suffix.lower()
    if suffix not in SUFFIXES:
        raise CommandError(f"cannot draw into {arguments.output}: name a file that ends in {', '.join(SUFFIXES)}")
    check_writable(arguments.output, inputs=arguments.inputs)
    _check(arguments.chart)
    runs, unreadable = _runs(arguments.inputs, Options.of(arguments.map, arguments.step))
    if not runs:
        return 2
    charts = charts_for(runs, arguments.chart)
    if not charts:
        wanted = f" for {', '.join(arguments.chart)}" if arguments.chart else ""
        raise CommandError(f"nothing to draw: the runs have no values{wanted}")
    if len(runs) > MOST_RUNS:
        say(f"traindx plot: {len(runs)} runs are too many for one picture; the first {MOST_RUNS} are drawn", sys.stderr)
        runs = runs[:MOST_RUNS]
    names = short_names([found.source for found in runs])
    subjects = subjects_of(runs, names, diagnose(runs[0]) if len(runs) == 1 else None)
    try:
        write(arguments.output, draw(subjects, charts, suffix.removeprefix(".")))
    except Unavailable as error:
        raise CommandError(str(error)) from None
    return 2 if unreadable else 0


def _check(names: Sequence[str] | None) -> None:
    from ..reports.plots import chart_names

    known = chart_names()
    for name in names or ():
        if name not in known:
            raise CommandError(f"there is no chart {name!r}: the charts are {', '.join(known)}")


def _runs(inputs: Sequence[Path], options: Options) -> tuple[list[Run], bool]:
    """All runs that can be read, and whether one of the inputs could not be read."""
    from ..comparison import Skipped, places_at
    from ..readers import ReaderError
    from ..readers.files import Beside
    from ..record import RecordError

    runs: list[Run] = []
    skipped = Skipped()
    unreadable = False
    for path in dict.fromkeys(inputs):
        try:
            places = places_at(path)
            found = _read([place for place in places if not place.weak], options, skipped)
            # As in a comparison, text files count only if there is no proper log beside them.
            beside = Beside(place.path for place, _ in found)
            for place in places:
                if place.weak and beside(place.path):
                    skipped.add_text_beside_log(place)
            found += _read([place for place in places if place.weak and not beside(place.path)], options, skipped)
            if not found:
                raise ReaderError(f"{path} holds no log with a loss")
            runs += [run for _, run in found]
        except (ReaderError, RecordError) as error:
            say(f"traindx plot: {error}", sys.stderr)
            unreadable = True
    for sentence in skipped.sentences():
        say(f"traindx plot: {sentence}", sys.stderr)
    return runs, unreadable


def _read(places: Sequence[Place], options: Options, skipped: Skipped) -> list[tuple[Place, Run]]:
    from ..readers import ReaderError, principal, read
    from ..record import RecordError

    runs: list[tuple[Place, Run]] = []
    for place in places:
        try:
            # A log with several runs is drawn as one line: the longest run.
            run = principal(read(place.path, options))
        except (ReaderError, RecordError) as error:
            if place.root is None:
                raise
            skipped.add(place, [str(error)])
            continue
        if place.root is None or run.series("loss/train") or run.series("loss/validation"):
            runs.append((place, run))
        else:
            skipped.add(place, [f"{place.path} holds no loss"])
    return runs
