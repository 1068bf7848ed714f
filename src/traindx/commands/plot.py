"""Draw runs: loss, validation, learning rate, gradients and activations over time.

Takes run records (.tdx), logs and folders; several runs share one chart. The
charts depend on what the runs contain: a log has losses and perhaps a learning
rate; a record of traindx run also has gradients and activations by layer. NaN
is drawn as red crosses. The suffix of the -o file chooses PNG, SVG or PDF,
which need matplotlib (pip install 'traindx[plot]'), or the page that traindx
report writes (.html).

Exit codes: 0; 2 if an input cannot be read or the command line is wrong.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ._inputs import add_log_columns, read_each
from ._say import CommandError, complain

if TYPE_CHECKING:
    from ..readers import Options
    from ..readers.folders import Place
    from ..record import Run

HELP = "draw the curves of runs into a picture"
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
    from ..reports.plots import charts_for, draw, subjects_of
    from ._output import check_writable, page_of, write

    suffix = arguments.output.suffix.lower()
    if suffix not in SUFFIXES:
        raise CommandError(f"cannot draw into {arguments.output}: name a file that ends in {', '.join(SUFFIXES)}")
    check_writable(arguments.output, inputs=arguments.inputs)
    _check(arguments.chart)
    if suffix == ".html" and arguments.chart:
        raise CommandError("the page shows every chart; --chart goes with PNG, SVG and PDF")
    runs, unreadable = _runs(arguments.inputs, Options.of(arguments.map, arguments.step))
    if not runs:
        return 2
    if suffix == ".html":
        write(arguments.output, page_of([(found, diagnose(found)) for found in runs]))
        return 2 if unreadable else 0
    charts = charts_for(runs, arguments.chart)
    if not charts:
        wanted = f" for {', '.join(arguments.chart)}" if arguments.chart else ""
        raise CommandError(f"nothing to draw: the runs have no values{wanted}")
    if len(runs) > MOST_RUNS:
        complain("plot", f"{len(runs)} runs are too many for one picture; the first {MOST_RUNS} are drawn")
        runs = runs[:MOST_RUNS]
    names = short_names([found.source for found in runs])
    subjects = subjects_of(runs, names, diagnose(runs[0]) if len(runs) == 1 else None)
    write(arguments.output, draw(subjects, charts, suffix.removeprefix(".")))
    return 2 if unreadable else 0


def _check(names: Sequence[str] | None) -> None:
    from ..reports.plots import chart_names

    known = chart_names()
    for name in names or ():
        if name not in known:
            raise CommandError(f"there is no chart {name!r}: the charts are {', '.join(known)}")


def _runs(inputs: Sequence[Path], options: Options) -> tuple[list[Run], bool]:
    """The longest run of each log, and whether one of the inputs could not be read."""
    from ..comparison import Skipped
    from ..readers import ReaderError, principal, read
    from ..readers.folders import places_at, read_places
    from ..record import RecordError

    skipped = Skipped()

    def longest(places: list[Place]) -> Iterator[tuple[Place, Run | None]]:
        for place in places:
            try:
                run = principal(read(place.path, options))
            except (ReaderError, RecordError) as error:
                if place.root is None:
                    raise
                skipped.add(place, [str(error)])
                yield place, None
                continue
            if place.root is None or run.series("loss/train") or run.series("loss/validation"):
                yield place, run
            else:
                skipped.add(place, [f"{place.path} holds no loss"])
                yield place, None

    def at(path: Path) -> list[Run]:
        found, left_out = read_places(places_at(path), longest, lambda run: run is not None)
        skipped.beside_logs += left_out
        if not any(found.values()):
            raise ReaderError(f"{path} holds no log with a loss")
        return [run for run in found.values() if run is not None]

    runs, unreadable = read_each("plot", inputs, at)
    for sentence in skipped.sentences():
        complain("plot", sentence)
    return runs, unreadable
