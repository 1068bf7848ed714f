"""Check a training script before hours are spent on it, in under a minute.

The script is run several times, for seconds each, in processes of their own: its first steps as they are; its
loop fed one batch again and again, which it must learn by heart; two more starts, to see whether they agree.
Its output is hidden, and what it saves with torch.save goes to a temporary folder.

Asked are: the data (finite, scaled, balanced, shuffled, not shared with the evaluation, prepared alike); the
start (first loss against chance, gradient flow, variance by depth, initial weights); the wiring (gradients arrive
and are cleared, weights move, modes, loss inputs, no mixing of samples, no sight of the future); one batch;
repeatability.
✓ passed, ✗ failed, ! worth a look, – could not be asked (not counted as passed).

Exit codes: 0; 1 when --fail-on is met (critical: something failed; warning: or is worth a look); 2 when the
script cannot be probed or the command line is wrong. --format json prints the diagnosis of the first steps
with `checks`.
"""

from __future__ import annotations

import argparse
import json
import sys

from ._errors import CommandError
from ._findings import THRESHOLDS
from ._say import say
from ._script import add_script, script_of

HELP = "check a script before training: data, first loss, wiring, one batch, two starts"


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--format", choices=("text", "json"), default="text", help="how to print (default: text)")
    parser.add_argument(
        "--fail-on",
        choices=THRESHOLDS,
        default="never",
        help="exit with 1 when a check is at least this bad (default: never)",
    )
    parser.add_argument(
        "--steps", type=int, default=200, metavar="N", help="steps that one batch may take to be learnt (default 200)"
    )
    parser.add_argument(
        "--seconds", type=float, default=10.0, metavar="S", help="training time of each trial (default 10)"
    )
    add_script(parser)


def run(arguments: argparse.Namespace) -> int:
    from ..checking.conduct import check_script
    from ..checking.objects import as_object
    from ..checking.page import page
    from ..probes.launch import ProbeError
    from ..reports import Look
    from ._output import terminal_look

    if arguments.steps < 1 or arguments.seconds <= 0:
        raise CommandError("--steps and --seconds must be positive")
    script = script_of(arguments)
    print(f"traindx check: trying {script} …", file=sys.stderr, flush=True)
    try:
        report = check_script(script, arguments.steps, arguments.seconds)
    except ProbeError as error:
        raise CommandError(str(error)) from None
    if arguments.format == "json":
        say(json.dumps(as_object(report), indent=2, allow_nan=False))
    else:
        say(page(report, Look(**terminal_look())))
    bad = {"never": [], "critical": report.of("failed"), "warning": [*report.of("failed"), *report.of("doubtful")]}
    return int(bool(bad[arguments.fail_on]))
