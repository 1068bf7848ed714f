"""What `traindx run` starts beside the script: a job of several processes, the live page, and trials of a suspicion."""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from ..observe.ranks import PREFIX
from ..observe.runner.launching import Launch
from ..paths import unused
from ..record.errors import RecordError
from ._inputs import RECORDS

if TYPE_CHECKING:
    from ..diagnosis import Diagnosis


def launch(args: argparse.Namespace, job: Launch) -> tuple[int, Path | None]:
    """Run the job to its end. Its exit code, and where its record lies if there is one."""
    record = Path(args.out) if args.out else unused(RECORDS, f"{job.name}-{time.strftime('%Y%m%d-%H%M%S')}")
    options = ["--launched", "--out", str(record), "--no-diagnosis", "--budget", f"{args.budget:g}"]
    options += [
        f"--{name.replace('_', '-')}" for name in ("force", "deep", "record_args", "live") if getattr(args, name)
    ]
    options += ["--max-steps", str(args.max_steps)] if args.max_steps else []
    options += [word for hook in args.on_alert for word in ("--on-alert", hook)]
    folders = set(record.absolute().parent.glob(f"{PREFIX}*"))
    began = time.time()
    code = _run(job.command(options))
    # A launcher that starts a failed job again writes another record for each start.
    made = [path for path in record.parent.glob(f"{record.stem}*{record.suffix}") if path.stat().st_mtime >= began - 1]
    newest = max(made, key=lambda path: path.stat().st_mtime, default=None)
    for folder in set(record.absolute().parent.glob(f"{PREFIX}*")) - folders:
        collect(newest, folder)
    return code, newest


def trained_alone(record: Path) -> bool:
    """Whether the process of this record trained, and joined no job of several processes."""
    from ..record.reading import load

    with suppress(RecordError, OSError):
        run = load(record)
        return run.steps > 0 and run.facts.get("exit") == "ok" and not run.fact("distributed").get("world_size")
    return False


def collect(record: Path | None, folder: Path) -> None:
    """The job is over: what its ranks have left in their folder goes into the record."""
    if record is not None:
        with suppress(RecordError, OSError, sqlite3.Error):
            _add_ranks(record, folder)
    shutil.rmtree(folder, ignore_errors=True)


def _run(command: list[str]) -> int:
    """Like a shell: Ctrl-C is the launcher's, which ends its processes."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        code = subprocess.run(command, check=False, preexec_fn=_listen_again if sys.platform != "win32" else None)
    finally:
        signal.signal(signal.SIGINT, before)
    return code.returncode if code.returncode >= 0 else 128 - code.returncode


def _listen_again() -> None:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def _add_ranks(record: Path, folder: Path) -> None:
    """Rank 0 was ended before it could compare the ranks."""
    from ..observe.rank_comparison import about_ranks, others_in
    from ..record.reading import add_facts, load

    own = load(record)
    ranks = [int(path.stem) for path in folder.glob("*.tdx") if path.stem.isdecimal()]
    others = others_in(folder, 1 + max(ranks, default=0))
    if others:
        add_facts(record, about_ranks({0: own, **others}))


SECONDS = 30.0
# Starts the server in its own session, so that Ctrl-C and a closed terminal reach only the script.
LAUNCH = """
import subprocess, sys
server = subprocess.Popen(sys.argv[1:], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          start_new_session=True)
print(server.stdout.readline().decode().strip(), flush=True)
"""
# Like `python -m traindx`, but files in the working folder cannot replace modules.
SERVE = "import sys; sys.path[:] = filter(None, sys.path); from traindx.__main__ import main; sys.exit(main())"


def start_server(record: Path, hooks: Sequence[str]) -> str:
    """The address of the page; empty if no server could be started. The training runs in any case."""
    command = [sys.executable, "-c", SERVE, "live", str(record), "--until-end"]
    command += [word for hook in hooks for word in ("--on-alert", hook)]
    command += ["--open"] if _desktop() else []
    try:
        done = subprocess.run(
            [sys.executable, "-I", "-c", LAUNCH, *command],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=SECONDS,
            check=False,
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout.decode("utf-8", "replace").strip()


def _desktop() -> bool:
    """Whether this machine has a screen that the user can see."""
    if os.environ.get("SSH_CONNECTION") or not sys.stderr.isatty():
        return False
    return sys.platform in ("darwin", "win32") or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def rests_on_suspicion(diagnosis: Diagnosis) -> bool:
    """Whether an experiment can settle something: a cause is suspected, but none was seen directly."""
    if diagnosis.suspected:
        return True
    return diagnosis.verdict == "sick" and bool(diagnosis.hypotheses) and diagnosis.leading.basis == "suspected"


def prove(script: str, args: list[str], module: bool, folder: Path, stderr: TextIO) -> None:
    """Treat the script in a new process, because this one has already run it. All output goes to stderr."""
    words = [sys.executable, "-m", "traindx", "treat", *(["-m"] if module else []), script, *args]
    done = subprocess.run(words, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=False)
    print(done.stdout.decode("utf-8", "replace"), end="", file=stderr, flush=True)
