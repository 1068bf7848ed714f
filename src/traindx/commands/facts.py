"""Show every measured number of a run beside what healthy runs show; no verdict.

Takes a run record (.tdx) or a log; without an argument, the newest record in
./traindx-runs. Each quantity stands with its value, the range that 5 to 95 % of
healthy runs lie in, its percentile, and how many runs are behind that range.
H and L are above and below the range, HH and LL beyond 1 and 99 %. What is most
unusual comes first. The wiring follows: what the loss is given, what the
optimizer holds, loaders, modes, schedule, with file and line.

With --reference DIR the ranges are those of your own good runs: records or logs
in DIR; runs that are sick or cannot be read are left out.

Exit codes: 0; 2 if the input cannot be read or the command line is wrong.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING

from ..wording import listed
from ._inputs import add_log_columns, add_output, newest_record, runs_at
from ._say import CommandError, complain

if TYPE_CHECKING:
    from ..facts import Reference
    from ..record import Run

HELP = "show every measured number beside what healthy runs show"
BESIDE = (".tdx-wal", ".tdx-shm", ".tdx-exit", ".py")  # files beside records that are no runs
NAMED = 3  # runs of a folder that are named in a message


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("input", nargs="?", type=Path, metavar="RUN|LOG", help="record or log")
    parser.add_argument("--reference", type=Path, metavar="DIR", help="compare with the good runs in this folder")
    parser.add_argument("--all", action="store_true", help="show every fact, not the most unusual only")
    add_output(parser, ("text", "json"))
    add_log_columns(parser)


def run(arguments: argparse.Namespace) -> int:
    from ..facts import facts_of, shipped
    from ..readers import Options, principal
    from ..reports import Look
    from ..reports.facts import as_object, page
    from ..signs import measure_all
    from ._output import check_writable, deliver

    options = Options.of(arguments.map, arguments.step)
    place = arguments.input or newest_record()
    if place.is_dir():
        raise CommandError(f"{place} is a folder: name one record or log (--reference takes a folder)")
    check_writable(arguments.output, inputs=[place])
    runs = runs_at(place, options)
    found = principal(runs)
    if len(runs) > 1:
        complain("facts", f"this log contains {len(runs)} runs; the longest is shown")
    reference = _private(arguments.reference, found, place) if arguments.reference else shipped()
    facts = facts_of(found, measure_all(found), reference)
    deliver(
        arguments,
        {
            "text": lambda **look: f"{page(found, facts, reference, Look(**look), every=arguments.all)}\n",
            "json": lambda **_: json.dumps(as_object(found, facts, reference), indent=1, allow_nan=False) + "\n",
        },
    )
    return 0


def _private(folder: Path, run: Run, place: Path) -> Reference:
    """The ranges of the good runs of a folder. What was left out, and why, is said in one line each."""
    from ..diagnosis import diagnose
    from ..facts import of_runs
    from ..readers import ReaderError, principal, read
    from ..record import RecordError
    from ..signs import measure_all

    if not folder.is_dir():
        raise CommandError(f"{folder} is not a folder; --reference takes a folder of your own good runs")
    good, sick, unreadable = [], [], []
    for file in sorted(path for path in folder.rglob("*") if path.is_file() and not path.name.startswith(".")):
        if (place.exists() and file.samefile(place)) or file.suffix in BESIDE:
            continue
        try:
            one = principal(read(file))
            verdict = diagnose(one).verdict
        except (ReaderError, RecordError):
            unreadable.append(file.name)
            continue
        if verdict in ("sick", "out-of-scope"):
            sick.append(file.name)
        else:
            good.append((one, measure_all(one)))
    for names, why in ((sick, "sick or out of scope"), (unreadable, "not readable as a run")):
        if names:
            complain("facts", f"left out of the reference, {why}: {listed(names, NAMED)}")
    return of_runs(good, run)
