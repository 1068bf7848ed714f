"""Check a training script before hours are spent on it, in under a minute.

The script runs several times, for a few seconds each: its first steps as they
are; then with one batch repeated, which it must overfit; and two more starts,
to see whether they agree. Its output is hidden. These runs are isolated: what
the script writes, renames and deletes stays in a temporary overlay, the
network is off, and programs that it starts end with it (docs/safety.md).
--in-place runs the script without isolation.

Questions: the data (finite, scaled, balanced, shuffled, not shared with the
evaluation set, prepared in the same way); the start (first loss against
chance, gradient flow, variance by depth, initial weights); the wiring
(gradients arrive and are cleared, weights move, modes, loss inputs, no mixing
of samples, no access to future tokens); overfitting one batch; repeatability.
✓ passed, ✗ failed, ! worth a look, – could not be answered (not counted as
passed).

Exit codes: 0; 1 if --fail-on is met (critical: something failed; warning:
something failed or is worth a look); 2 if the script cannot be probed or the
command line is wrong. A baseline file lists accepted findings: the id of the
answer, and the script. --format json prints the diagnosis of the first steps
with `checks`; --record keeps what was measured, for traindx diagnose.
"""

from __future__ import annotations

import argparse
import json
import math
from pathlib import Path

from ._findings import Finding, exit_code, read_baseline
from ._inputs import add_fail_on, add_output
from ._say import CommandError, complain
from ._script import add_script, announce, script_of

HELP = "check a script before training: data, wiring, one batch, seeds"


def configure(parser: argparse.ArgumentParser) -> None:
    add_output(parser, ("text", "json"))
    parser.add_argument("--record", type=Path, metavar="FILE", help="keep what was measured in FILE (.tdx)")
    parser.add_argument("--out", type=Path, dest="record", help=argparse.SUPPRESS)  # the option's name until 0.1
    add_fail_on(parser)
    parser.add_argument(
        "--steps", type=int, default=200, metavar="N", help="steps allowed to overfit one batch (default 200)"
    )
    parser.add_argument(
        "--seconds", type=float, default=10.0, metavar="S", help="training time of each trial (default 10)"
    )
    add_script(parser)


def run(arguments: argparse.Namespace) -> int:
    from ..checks import check_script
    from ..record.reading import save
    from ..reports import Look
    from ..reports.check import as_object, page
    from ._output import check_writable, deliver

    if arguments.steps < 1 or not 0 < arguments.seconds < math.inf:
        raise CommandError("--steps and --seconds must be positive numbers")
    if arguments.record is not None and arguments.record.exists():
        raise CommandError(f"{arguments.record} exists already")
    if arguments.baseline:
        read_baseline(arguments.baseline)  # report an unreadable file before the trials, which take a while
    check_writable(arguments.output, inputs=[arguments.script])
    check_writable(arguments.record)
    check_writable(arguments.write_baseline, inputs=[arguments.script])
    script = script_of(arguments)
    announce("check", script)
    report = check_script(script, arguments.steps, arguments.seconds, lambda text: complain("check", f"{text} …"))
    if arguments.record is not None:
        save(report.run, arguments.record)
    deliver(
        arguments,
        {
            "text": lambda **look: f"{page(report, Look(**look))}\n",
            "json": lambda **_: json.dumps(as_object(report), indent=2, allow_nan=False) + "\n",
        },
    )
    answers = (*report.of("failed"), *report.of("doubtful"))
    return exit_code("check", [Finding(a.id, script.path, a.status == "failed") for a in answers], arguments)
