"""Serve the page of a run in progress, and keep it up to date.

Prints one address on this machine (127.0.0.1) with a random token; open it in
a browser. From another machine: ssh -L PORT:127.0.0.1:PORT HOST. Takes a
record, a log or a folder; without an argument, the newest record in
./traindx-runs. The address of a record stays the same, so an open page finds a
restarted server. Ctrl-C ends the server, never the run.

--on-alert runs a command or posts JSON to a URL when the loss becomes NaN or
Inf, when the run is diagnosed as sick, or when it crashes or is killed. A
command gets TRAINDX_TITLE, TRAINDX_TEXT, TRAINDX_STEP, TRAINDX_SEVERITY and
TRAINDX_SOURCE in its environment, and the alert as JSON on standard input.

  traindx live --on-alert 'notify-send "$TRAINDX_TITLE" "$TRAINDX_TEXT"'
  traindx live --on-alert https://hooks.example.org/T0/B0

Exit codes: 0; 2 if the run cannot be read or the port is taken.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ._inputs import add_log_columns, newest_record
from ._say import CommandError, say

if TYPE_CHECKING:
    from ..record import Run

HELP = "serve the page of a run in progress"
LINGER_SECONDS = 600.0  # a server of `run --live` ends this long after the run has ended and the last viewer has left
FAREWELL_SECONDS = 5.0  # the same if there was no viewer


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("input", nargs="?", type=Path, metavar="RUN|LOG|DIR", help="record, log or folder")
    parser.add_argument("--port", type=_port, metavar="N", help="default: always the same for a record")
    parser.add_argument("--open", action="store_true", help="open the page in a browser")
    parser.add_argument(
        "--on-alert", action="append", default=[], metavar="CMD|URL", help="what to run or call (may be repeated)"
    )
    parser.add_argument("--until-end", action="store_true", help=argparse.SUPPRESS)  # set by `run --live`
    add_log_columns(parser)


def _port(text: str) -> int:
    if not text.isdecimal() or not 0 < int(text) < 65536:
        raise argparse.ArgumentTypeError(f"{text!r} is not a port between 1 and 65535")
    return int(text)


def run(arguments: argparse.Namespace) -> int:
    from ..reports.live import follow, hook_of

    path = arguments.input or newest_record()
    read = _reader(path, arguments)
    read()  # report an unreadable input now, not as a page that never loads
    with suppress(OSError, AttributeError):
        os.nice(10)  # the training has priority
    try:
        hooks = [hook_of(target, _complain) for target in arguments.on_alert]
        server, following = follow(path, read, port=arguments.port, hooks=hooks, complain=_complain)
    except OSError as error:
        what = "no port can" if arguments.port is None else f"port {arguments.port} cannot"
        raise CommandError(f"{what} be used ({error.strerror or error})") from None
    say(server.address)
    with suppress(BrokenPipeError):
        sys.stdout.flush()
    if arguments.open:
        import webbrowser

        webbrowser.open(server.address)
    try:
        _wait(server, following, path if arguments.until_end else None)
    except KeyboardInterrupt:
        pass
    finally:
        following.stop()
        server.close()
    return 0


def _reader(path: Path, arguments: argparse.Namespace) -> Callable[[], Run]:
    from ..readers import Options, principal
    from ._inputs import runs_at

    options = Options.of(arguments.map, arguments.step)
    return lambda: principal(runs_at(path, options))


def _wait(server: Any, following: Any, record: Path | None) -> None:
    """Wait for Ctrl-C. A server of `run --live` (`record` given) also ends some time after the run has ended and the
    last viewer has left, or when its record is deleted."""
    over = 0.0
    while True:
        time.sleep(0.5)
        if record is not None and not record.exists():
            return
        if record is None or not following.ended.is_set():
            continue
        now = time.monotonic()
        over = over or now
        patience = LINGER_SECONDS if server.last_viewer else FAREWELL_SECONDS
        if server.viewers == 0 and now - max(over, server.last_viewer) > patience:
            return


def _complain(message: str) -> None:
    with suppress(OSError, ValueError):
        say(message, sys.stderr)
