"""Say what is wrong with trainings, finished or running, and what to change.

Takes run records (.tdx), logs, folders of either, and - for standard input;
without an argument, the newest record in ./traindx-runs. A log of several runs,
folds or resumed stretches gets an answer for each. More than three runs are
shown as a table, worst first; --details adds the report of each.

Many logs are read on all cores, or with --on on a Ray cluster. Their answers
are kept in the cache folder, so that the next call reads only what changed and
an interrupted one goes on where it was; --no-cache reads all again.

--fail-on makes this a check for continuous integration. The findings of a sick
run are its leading cause (critical if its confidence is at least 50 % or a
symptom is critical, else a warning) and each further fault that was seen
(critical). In a run that is not sick, each critical or warning symptom is a
finding. Advice never fails. A baseline file lists accepted findings as pairs
of cause and source; with --baseline, only other findings fail.

Exit codes: 0; 1 if --fail-on is met; 2 if an input cannot be read or the
command line is wrong. With --format json, one run prints one object, and
several runs print a list; jsonl prints one object per line.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from ._inputs import add_fail_on, add_format, add_log_columns, newest_record, read_each, runs_at
from ._say import CommandError, complain

if TYPE_CHECKING:
    from ..diagnosis import Diagnosis
    from ..readers import Options
    from ..readers.folders import Place
    from ..record import Run
    from ._findings import Finding

HELP = "say what is wrong with a run, from its record or its log"


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("inputs", nargs="*", type=Path, metavar="RUN|LOG|DIR", help="record, log or folder")
    add_format(parser)
    add_fail_on(parser)
    parser.add_argument("--details", action="store_true", help="with many runs: the report of each below the table")
    parser.add_argument(
        "--on", metavar="CLUSTER", help="where to read many logs: ray (the cluster of this machine) or ray://HOST:PORT"
    )
    parser.add_argument("--no-cache", action="store_true", help="with many logs: read all again, and keep no answer")
    add_log_columns(parser)


def run(arguments: argparse.Namespace) -> int:
    from ..readers import Options
    from ..reports import format_of
    from ..spreading import FEW
    from ._findings import exit_code, findings
    from ._output import check_writable, deliver_diagnoses, page_of
    from ._survey import places_in

    options = Options.of(arguments.map, arguments.step)  # first, because --map may have swallowed the file's name
    inputs = arguments.inputs or [newest_record()]
    check_writable(arguments.output, inputs=inputs)
    check_writable(arguments.write_baseline, inputs=inputs)
    words = [path for path in inputs if _looks_like_words(path)]
    unreadable = bool(words)
    if words:
        complain(
            "diagnose",
            f"there is no file {' '.join(map(str, words))!r}; diagnose takes files and folders, "
            f"traindx ask {' '.join(map(str, words))} takes words",
        )
    inputs = [path for path in inputs if path not in words]
    chosen = arguments.format or (format_of(arguments.output) if arguments.output else "text")
    whole = arguments.details or arguments.why or Path("-") in inputs  # these need the runs
    places = [] if whole else places_in(inputs)
    if len(places) >= FEW or (arguments.on and places):
        found, unread = _surveyed(places, options, chosen, arguments)
    else:
        judged, unread = read_each("diagnose", inputs, lambda path: _judged(path, options))
        if judged:
            deliver_diagnoses([diagnosis for _, diagnosis in judged], arguments, page=lambda: page_of(judged))
        found = [finding for _, diagnosis in judged for finding in findings(diagnosis)]
    code = exit_code("diagnose", found, arguments)
    return 2 if unreadable or unread else code


def _surveyed(
    places: Sequence[Place], options: Options, chosen: str, arguments: argparse.Namespace
) -> tuple[list[Finding], bool]:
    """Diagnose many logs and print their table; return the findings, and whether a named log could not be read."""
    from ..reports import render_rows
    from ..treatments.on_ray import is_address, on_workers
    from ._output import deliver_page, print_or_write
    from ._survey import page_of_survey, surveyed

    if arguments.on and not is_address(arguments.on):
        raise CommandError(f"--on takes ray or ray://HOST:PORT, not {arguments.on!r}")
    objects = chosen in ("json", "jsonl")
    elsewhere = partial(on_workers, on=arguments.on) if arguments.on else None
    found = surveyed("diagnose", places, options, objects, not arguments.no_cache, elsewhere)
    if objects:
        texts = found.of_all("objects")
        text = "\n".join(texts) if chosen == "jsonl" else "[\n" + ",\n".join(texts) + "\n]"
        print_or_write(lambda **_: f"{text}\n", arguments.output)
    elif chosen == "html" and found.answers:
        deliver_page(page_of_survey(found, options), arguments.output)
    elif rows := found.of_all("rows"):
        print_or_write(partial(render_rows, rows, chosen), arguments.output)
    return found.of_all("findings"), bool(found.failed) or not found.answers


def _looks_like_words(path: Path) -> bool:
    """Whether this is a question and not a file, as in `traindx diagnose log.csv "why is it nan"`."""
    word = str(path)
    return word != "-" and not path.suffix and path.name == word and not path.exists()


def _judged(path: Path, options: Options) -> list[tuple[Run, Diagnosis]]:
    from ..diagnosis import diagnose
    from ..history import with_similar_case

    return [(found, with_similar_case(diagnose(found))) for found in runs_at(path, options)]
