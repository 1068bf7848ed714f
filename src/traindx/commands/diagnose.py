"""Say what is wrong with trainings, finished or running, and what to change.

Takes run records (.tdx), logs, folders of either, and - for standard input;
without an argument, the newest record in ./traindx-runs. If a log contains
several runs, the longest is diagnosed, or all of them with --all-runs.

--fail-on makes this a check for continuous integration. The findings of a sick
run are its leading cause (critical if its confidence is at least 50 % or a
symptom is critical, else a warning) and each further fault that was seen
(critical). In a run that is not sick, each critical or warning symptom is a
finding. Advice never fails. A baseline file lists accepted findings as pairs
of cause and source; with --baseline, only other findings fail.

Exit codes: 0; 1 if --fail-on is met; 2 if an input cannot be read or the
command line is wrong. With --format json, one run prints one object, and
several runs print one object per line.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from ._inputs import newest_record, runs_at
from ._options import add_fail_on, add_format, add_log_columns
from ._say import say

if TYPE_CHECKING:
    from ..diagnosis import Diagnosis
    from ..readers import Options
    from ..record import Run

HELP = "say what is wrong with a run, from its record or its log"


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("inputs", nargs="*", type=Path, metavar="RUN|LOG|DIR", help="record, log or folder")
    add_format(parser)
    add_fail_on(parser)
    parser.add_argument("--all-runs", action="store_true", help="diagnose every run of a log that contains several")
    add_log_columns(parser)


def run(arguments: argparse.Namespace) -> int:
    from ..readers import Options, ReaderError
    from ..record import RecordError
    from ._findings import failing, write_baseline
    from ._output import check_writable, deliver
    from ._page import page_of

    options = Options.of(arguments.map, arguments.step)  # first, because --map may have swallowed the file's name
    inputs = arguments.inputs or [newest_record()]
    check_writable(arguments.output, inputs=inputs)
    check_writable(arguments.write_baseline, inputs=inputs)
    judged: list[tuple[Run, Diagnosis]] = []
    words = [path for path in inputs if _looks_like_words(path)]
    unreadable = bool(words)
    if words:
        say(
            f"traindx diagnose: there is no file {' '.join(map(str, words))!r}; diagnose takes files and folders, "
            f"traindx ask {' '.join(map(str, words))} takes words",
            sys.stderr,
        )
    for path in inputs:
        if path in words:
            continue
        # One bad file must not hide the diagnoses of the others.
        try:
            judged += _judged(path, options, arguments.all_runs)
        except (ReaderError, RecordError) as error:
            say(f"traindx diagnose: {error}", sys.stderr)
            unreadable = True
    diagnoses = [diagnosis for _, diagnosis in judged]
    failed = failing(diagnoses, arguments.fail_on, arguments.baseline)
    if judged:
        deliver(diagnoses, arguments, page=lambda: page_of(judged))
    if arguments.write_baseline:
        count = write_baseline(arguments.write_baseline, diagnoses)
        say(f"traindx diagnose: findings accepted in {arguments.write_baseline}: {count}", sys.stderr)
    for finding in failed:
        say(f"traindx diagnose: failing on {finding}", sys.stderr)
    return 2 if unreadable else int(bool(failed))


def _looks_like_words(path: Path) -> bool:
    """Whether this is a question and not a file, as in `traindx diagnose log.csv "why is it nan"`."""
    word = str(path)
    return word != "-" and not path.suffix and path.name == word and not path.exists()


def _judged(path: Path, options: Options, every: bool) -> list[tuple[Run, Diagnosis]]:
    from ..diagnosis import diagnose
    from ..history import with_similar_case

    runs, count = runs_at(path, options, every)
    diagnoses = [with_similar_case(diagnose(found)) for found in runs]
    if len(runs) < count:
        note = f"This log contains {count} runs; the longest was diagnosed (--all-runs diagnoses each)."
        diagnoses = [replace(diagnosis, notes=[*diagnosis.notes, note]) for diagnosis in diagnoses]
    return list(zip(runs, diagnoses, strict=True))
