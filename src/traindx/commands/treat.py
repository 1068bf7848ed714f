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
"""

from __future__ import annotations

import argparse

from ._errors import CommandError
from ._options import add_format
from ._script import add_script, announce, script_of

HELP = "prove the cause by controlled re-runs, and show the patch"


def configure(parser: argparse.ArgumentParser) -> None:
    add_format(parser)
    parser.add_argument(
        "--minutes", type=float, metavar="M", help="stop after M minutes; within them, more than three trials are made"
    )
    parser.add_argument(
        "--on", metavar="CLUSTER", help="where to run: ray (the cluster of this machine) or ray://HOST:PORT"
    )
    parser.add_argument("--no-cache", action="store_true", help="make every run anew, and keep none")
    add_script(parser)


def run(arguments: argparse.Namespace) -> int:
    from ..probes.launch import ProbeError
    from ..treatments import Options, treat
    from ..treatments.caching import usual_folder
    from ..treatments.on_ray import is_address
    from ._output import deliver
    from ._trial_progress import TrialProgress

    if arguments.minutes is not None and arguments.minutes <= 0:
        raise CommandError("--minutes must be positive")
    if arguments.on is not None and not is_address(arguments.on):
        raise CommandError(f"--on takes ray or ray://HOST:PORT, not {arguments.on!r}")
    script = script_of(arguments)
    announce("treat", script)
    with TrialProgress() as watch:
        options = Options(
            arguments.minutes, None if arguments.no_cache else usual_folder(), watch=watch, on=arguments.on
        )
        try:
            diagnosis = treat(script, options)
        except ProbeError as error:
            raise CommandError(str(error)) from None
    deliver([diagnosis], arguments)
    return 0
