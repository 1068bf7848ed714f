"""Find a learning rate by a range test inside the script's own loop.

The learning rate rises exponentially from step to step (param groups keep
their ratios, schedulers are suspended, accumulation and mixed precision work
as in the script) until the loss diverges. Three rules read the smoothed
curve: its steepest descent, its valley, a tenth of its minimum. The test is
repeated with shifted seeds; the interval is the range of the repeats'
suggestions. If the curve has no valley, the answer is: can't tell.

The runs are isolated: what the script writes, renames and deletes stays in a
temporary overlay, the network is off, and programs that it starts end with it
(docs/safety.md). --in-place runs the script without isolation.
"""

from __future__ import annotations

import argparse
import json
import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ._say import CommandError, say
from ._script import add_script, announce, script_of

if TYPE_CHECKING:
    from ..probes.rates import RateTest

HELP = "find a learning rate by a range test inside the script's loop"


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--format", choices=("text", "json"), default="text", help="how to print (default: text)")
    parser.add_argument("--plot", type=Path, metavar="FILE", help="draw the curves into FILE (needs matplotlib)")
    parser.add_argument("--low", type=float, default=1e-6, help="lowest learning rate (default 1e-6)")
    parser.add_argument("--high", type=float, default=10.0, help="highest learning rate (default 10)")
    parser.add_argument("--steps", type=int, default=120, help="steps of one test (default 120)")
    parser.add_argument("--repeats", type=int, default=3, help="tests with different seeds (default 3)")
    parser.add_argument("--seconds", type=float, default=40.0, help="training time of one test (default 40)")
    parser.add_argument("--batch-size", type=int, metavar="N", help="also scale the learning rate to batches of N")
    add_script(parser)


def run(arguments: argparse.Namespace) -> int:
    from ..probes.rates import probe_rates
    from ._output import PICTURES, check_writable

    if not 0 < arguments.low < arguments.high < math.inf:
        raise CommandError("--low must be positive and below --high")
    if arguments.steps < 20 or arguments.repeats < 1 or not 0 < arguments.seconds < math.inf:
        raise CommandError("--steps must be at least 20, --repeats and --seconds positive")
    check_writable(arguments.plot, PICTURES)
    script = script_of(arguments)
    if arguments.plot is not None:
        _needs_matplotlib()
    announce("lr", script)
    test = probe_rates(
        script,
        low=arguments.low,
        high=arguments.high,
        steps=arguments.steps,
        repeats=arguments.repeats,
        seconds=arguments.seconds,
    )
    if arguments.plot is not None:
        _plot(test, arguments.plot)
    if arguments.format == "json":
        say(json.dumps(as_object(test), indent=2))
    else:
        from ._output import terminal_look
        from ._rate_page import page

        say(page(test, str(script), arguments.batch_size, terminal_look()))
    return 0


def _needs_matplotlib() -> None:
    from importlib.util import find_spec

    if find_spec("matplotlib") is None:
        raise CommandError('--plot needs matplotlib: pip install "traindx[plot]"')


def _plot(test: RateTest, path: Path) -> None:
    from ..probes.rates import draw

    try:
        draw(test, path)
    except (OSError, ValueError) as error:
        raise CommandError(f"{path} cannot be written ({error})") from None


def as_object(test: RateTest) -> dict[str, Any]:
    """The test as plain dicts and lists."""
    from ..reports.json import picked

    advice = test.advice
    return {
        "schema": "traindx.lr/1",
        **picked(advice, "suggestion interval rules why_not", rules_agree=advice.agree),
        **picked(test, "own_rate notes"),
        "repeats": [
            {**picked(reading, "suggestion rules rises_at why_not"), **picked(reading.curve, "rates losses")}
            for reading in advice.readings
        ],
    }
