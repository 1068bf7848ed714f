"""Test the leading hypotheses by short controlled re-runs, and show the patch.

The script is run once as it is, up to 1,000 steps. Where that run is healthy,
there is nothing to treat. Otherwise the likeliest causes are tested, one change
at a time, inside the script's own loop and without touching its file: the
changed run against the control, with the same seeds, and against a placebo that
changes nothing of note, until the difference is decided. A cure is a symptom
that is gone and an outcome that is better. The proven cause's patch is then run
once in place of the file.

The runs are isolated: what the script writes, renames and deletes happens in
a temporary layer that only it sees, the network is off, and programs that it
starts end with it (docs/safety.md). --in-place runs it for real instead.
Finished runs are kept in the user's cache folder; Ctrl-C keeps what is done.

--apply writes the proven patch into your files, only inside the script's
folder. Files that git does not hold unchanged are copied to traindx's state
folder first; the path is printed. A file that changed since the run is left
alone, and so is everything where no cure was proven, unless --force is given.
Then the script is run once as it now stands, isolated like the trials.

A solved case is kept in traindx history, unless --no-history is given.

Exit codes: 0; 1 when --apply wrote nothing, or when the patched script does not
behave like the trial; 2 when the script cannot be run.
"""

from __future__ import annotations

import argparse

from ._errors import CommandError
from ._options import add_format
from ._script import add_script, announce, script_of
from ._treated import add_options, apply_patch, files_now, remember_case

HELP = "prove the cause by controlled re-runs, and show the patch"


def configure(parser: argparse.ArgumentParser) -> None:
    add_format(parser)
    parser.add_argument(
        "--minutes", type=float, metavar="M", help="stop after M minutes; within them, more than three trials are made"
    )
    parser.add_argument("--no-cache", action="store_true", help="make every run anew, and keep none")
    add_options(parser)
    add_script(parser)


def run(arguments: argparse.Namespace) -> int:
    from ..probes.launch import ProbeError
    from ..treatments import Options, treat
    from ..treatments.caching import usual_folder
    from ._output import deliver
    from ._trial_progress import TrialProgress

    if arguments.minutes is not None and arguments.minutes <= 0:
        raise CommandError("--minutes must be positive")
    script = script_of(arguments)
    if arguments.force and not arguments.apply:
        raise CommandError("--force belongs to --apply")
    as_run = files_now(script) if arguments.apply else {}
    announce("treat", script)
    with TrialProgress() as watch:
        options = Options(arguments.minutes, None if arguments.no_cache else usual_folder(), watch=watch)
        try:
            diagnosis = treat(script, options)
        except ProbeError as error:
            raise CommandError(str(error)) from None
    if not arguments.no_history:
        remember_case(diagnosis, script)
    deliver([diagnosis], arguments)
    if not arguments.apply:
        return 0
    with TrialProgress() as watch:
        return apply_patch(diagnosis, script, as_run, arguments.force, watch)
