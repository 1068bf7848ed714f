"""Say what is wrong with trainings, finished or running, and what to change.

Takes run records (.tdx), logs, and folders of either; without an argument, the
newest record in ./traindx-runs.

--fail-on makes this a check for continuous integration. A sick run is one
finding, its leading cause: critical when its confidence is at least 50 % or a
symptom is critical, else a warning. In a run that is not sick, each critical or
warning symptom is a finding of its own. Advice never fails. A baseline file
lists accepted findings as pairs of cause and source; with --baseline, only
findings that it does not list fail.

Exit codes: 0; 1 when --fail-on is met; 2 when an input cannot be read or the
command line is wrong. With --format json, one run prints one object, and
several runs print one object a line.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from ._inputs import newest_record, runs_at
from ._options import add_fail_on, add_format

HELP = "say what is wrong with a run, from its record or its log"


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("inputs", nargs="*", type=Path, metavar="RUN|LOG|DIR", help="record, log or folder")
    add_format(parser)
    add_fail_on(parser)
    parser.add_argument(
        "--map",
        action="append",
        default=[],
        metavar="NAME=COLUMN",
        help="read the log's COLUMN as train, validation, lr … (may be repeated)",
    )
    parser.add_argument("--step", metavar="COLUMN", help="the log's column that counts steps")


def run(arguments: argparse.Namespace) -> int:
    from ..diagnosis import diagnose
    from ..readers import Options, ReaderError
    from ..record import RecordError
    from ._findings import failing, write_baseline
    from ._output import deliver

    options = Options.of(arguments.map, arguments.step)
    inputs = arguments.inputs or [newest_record()]
    diagnoses, unreadable = [], False
    for path in inputs:
        # One bad file among many must not hide the others' diagnoses.
        try:
            diagnoses += [diagnose(found) for found in runs_at(path, options)]
        except (ReaderError, RecordError) as error:
            print(f"traindx diagnose: {error}", file=sys.stderr)
            unreadable = True
    failed = failing(diagnoses, arguments.fail_on, arguments.baseline)
    if diagnoses:
        deliver(diagnoses, arguments)
    if arguments.write_baseline:
        write_baseline(arguments.write_baseline, diagnoses)
    return 2 if unreadable else int(bool(failed))
