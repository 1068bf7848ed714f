"""Run a script unmodified under observation, then diagnose it.

The script behaves as under `python`: same arguments, working folder, output
and exit code. The diagnosis is printed on stderr when the script has ended.
The record is kept in traindx-runs/ unless --out names a file. Options of
traindx come before the script's name; everything after it goes to the script.
Argument values that may be secrets are masked in the record.

--deep also measures, on a copy of the model, after 8, 24, 72 … steps and at
the end: the loss along the last step (is the minimum ahead, or did the step
overshoot it), the gradient noise scale, the curvature (saddle or minimum, edge
of stability), and the loss in train mode and in eval mode. It also replays the
batch of a spike on earlier weights. The training stays identical bit for bit.

--prove continues with `traindx treat` if the verdict rests on a suspicion:
short isolated re-runs of the script after it has ended.
"""

from __future__ import annotations

import argparse
import os
import signal
import sqlite3
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from ..observe.hook_points.moments import StopAfter
from ..observe.ranks import is_running, own_rank, ranks_folder, record_of, remove_left, remove_stale, world_size
from ..observe.recording import RankRecording, Recording
from ..observe.runner import Ending, Program, ScriptError, find_program, run_program
from ..observe.runner.hiding import listen
from ..observe.runner.launching import Launch, launch_of, observe_spawned
from ..observe.runner.running import UNREADABLE, run_bare
from ..observe.schedule import USUAL_BUDGET
from ..observe.secrets import masked
from ..paths import unused
from ..probes.deep_recording import DeepRecording
from ..record import schema
from ..record.errors import RecordError
from ._inputs import RECORDS
from ._launching import collect, launch, prove, rests_on_suspicion, trained_alone
from ._say import CommandError
from ._script import mentions, misplaced, refuse_log

if TYPE_CHECKING:
    from ..diagnosis import Diagnosis

HELP = "run a script unmodified under observation, then diagnose it"


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--out", metavar="FILE", help="where to keep the record (default: traindx-runs/NAME-TIME.tdx)")
    parser.add_argument("--force", action="store_true", help="overwrite an existing record named by --out")
    parser.add_argument("--max-steps", type=_positive, metavar="N", help="end the script after N training steps")
    parser.add_argument(
        "--budget",
        type=_percentage,
        default=USUAL_BUDGET,
        metavar="PCT",
        help=f"percent of the run's time that observing may take (default {USUAL_BUDGET:g})",
    )
    parser.add_argument(
        "--deep",
        action="store_true",
        help="also measure loss along the step, gradient noise, curvature, modes and spikes at some steps (costs time)",
    )
    parser.add_argument("-m", action="store_true", dest="module", help="run a module, as python -m does")
    parser.add_argument(
        "--record-args",
        action="store_true",
        help="record the script's arguments as they are (default: names, numbers and known settings; the rest masked)",
    )
    parser.add_argument(
        "--prove", action="store_true", help="if a cause is only suspected, continue with traindx treat (isolated)"
    )
    parser.add_argument("--no-diagnosis", action="store_true", help="keep the record and print no diagnosis")
    parser.add_argument("--live", action="store_true", help="serve a page that follows the run (see traindx live)")
    parser.add_argument(
        "--on-alert",
        action="append",
        default=[],
        metavar="CMD|URL",
        help="what to run or call on NaN, a sick run or a crash",
    )
    # Set by `launch`, which collects the records of the ranks when the job is over.
    parser.add_argument("--launched", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("script", help="the script (or module, with -m) to run")
    parser.add_argument("args", nargs=argparse.REMAINDER, help="its arguments")
    parser.set_defaults(own_options=frozenset(parser._option_string_actions))


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of at least 1")
    return int(text)


def _percentage(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0 <= number <= 100:
        raise argparse.ArgumentTypeError(f"{text!r} is not a percentage between 0 and 100")
    return number


def run(args: argparse.Namespace) -> int:
    job = launch_of(args.script, args.args, args.module)
    if isinstance(job, str):
        return _refuse(job)
    if job is not None:
        return _run_job(args, job)
    try:
        refuse_log(args.script, args.module)
        program = find_program(args.script, args.module)
    except (CommandError, ScriptError) as error:
        return _refuse(str(error))
    except UNREADABLE:
        return run_bare(args.script, args.module, args.args)
    if own_rank() != 0:  # another process of the same job keeps the record
        return _leave(_run_other_rank(args, program))
    try:
        recording = _open(args, program)
    except RecordError as error:
        return _refuse(str(error))
    argv = args.args if args.record_args else masked(args.args)
    script = {"path": args.script, "argv": argv, "module": args.module}
    recording.writer.fact("script", script)
    recording.writer.flush()  # the script may be killed at once
    if args.live or args.on_alert:
        _serve(recording.writer.path, args.on_alert)
    if world_size() > 1:
        recording.ranks_folder = _ranks_folder(args, program)
        remove_stale(recording.ranks_folder.parent)
    listen(recording.companion.descriptor)
    # The script may change the working folder and replace stderr.
    shown, stderr, folder = _shown(recording.writer.path), sys.stderr, Path.cwd()
    ranks = _ranks_folder(args, program)
    undo = observe_spawned(recording, ranks, {"script": script}) if world_size() == 1 else (lambda: None)
    ending = run_program(program, args.args, recording)
    undo()
    recording.close(ending.status, ending.error)
    if recording.handed_over:
        record = recording.writer.path if recording.writer.path.exists() else None
        collect(record, ranks)
        _report_job(args, record, shown, stderr)
        return _leave(ending)
    kept = args.out is not None or ending.error is not None or _trained(recording)
    if not kept:
        # If it were kept, it would be the newest record, which the next `traindx diagnose` reads.
        recording.writer.path.unlink(missing_ok=True)
    if not args.no_diagnosis:
        diagnosis = _report(recording, shown if kept else None, stderr)
        _hint(args, ending, kept, stderr)
        if args.prove and diagnosis is not None and not ending.interrupted and rests_on_suspicion(diagnosis):
            with suppress(OSError, KeyboardInterrupt):
                prove(args.script, args.args, args.module, folder, stderr)
    return _leave(ending)


def _run_job(args: argparse.Namespace, job: Launch) -> int:
    if job.missing:
        return _refuse(f"no such script: {job.missing}")
    stderr, (code, record) = sys.stderr, launch(args, job)
    if record is not None and job.asked > 1 and trained_alone(record):
        print(f"traindx run: {ALONE.format(asked=job.asked)}", file=stderr, flush=True)
    _report_job(args, record, _shown(record.absolute()) if record is not None else Path(), stderr)
    return code


def _report_job(args: argparse.Namespace, record: Path | None, shown: Path, stderr: TextIO) -> None:
    if record is None:
        print(f"traindx run: {NO_RECORD}", file=stderr, flush=True)
    elif not args.no_diagnosis:
        _diagnose(record, shown, stderr)


def _run_other_rank(args: argparse.Namespace, program: Program) -> Ending:
    """Run with the few measurements that rank 0 compares; nobody asked for a record here, so none is no obstacle."""
    recording = None
    folder = _ranks_folder(args, program)
    remove_stale(folder.parent)
    with suppress(RecordError, OSError):
        path = record_of(folder, own_rank())
        path.unlink(missing_ok=True)
        recording = RankRecording(path.absolute(), args.budget, _driver(args))
    ending = run_program(program, args.args, recording)
    if recording is not None:
        recording.close(ending.status, ending.error)
        in_job = recording.session is not None and recording.session.in_job
        collected = is_running(folder, 0) or args.launched
        if not (in_job and collected):
            remove_left(folder, [own_rank()] if collected else [0, own_rank()])  # rank 0 may have been killed
    return ending


def _ranks_folder(args: argparse.Namespace, program: Program) -> Path:
    beside = Path(args.out).parent if args.out else RECORDS
    return ranks_folder(beside.absolute(), args.out or program.name)


def _serve(record: Path, hooks: Sequence[str]) -> None:
    from ._launching import start_server

    address = start_server(record, hooks)
    said = address or "the live page could not be started; the training runs without it"
    print(f"traindx: {said}", file=sys.stderr, flush=True)


def _trained(recording: Recording) -> bool:
    session = recording.session
    return session is not None and (session.backwards > 0 or session.step > 0 or bool(session.nonfinite))


def _hint(args: argparse.Namespace, ending: Ending, trained: bool, stderr: TextIO) -> None:
    """Explain that options of traindx after the script's name went to the script, if it does not seem to know them."""
    for word in misplaced(args)[:1]:
        if (ending.code and not trained) or not mentions(args, word):
            with suppress(Exception):
                print(
                    f"traindx: {word} was passed to the script because it follows the script's name; "
                    f"options of traindx come first: traindx run {word} … {args.script}",
                    file=stderr,
                    flush=True,
                )


def _shown(path: Path) -> Path:
    """The path relative to the working folder, if it is inside it."""
    return path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path


def _refuse(reason: str) -> int:
    print(f"traindx run: {reason}", file=sys.stderr)
    return 2


def _driver(args: argparse.Namespace) -> StopAfter | None:
    return StopAfter(args.max_steps) if args.max_steps else None


def _open(args: argparse.Namespace, program: Program) -> Recording:
    driver = _driver(args)
    kind = DeepRecording if args.deep else Recording
    if args.out:
        path = Path(args.out)
        if path.is_dir():
            raise RecordError(f"{path} is a folder; --out takes a file")
        if (restart := os.environ.get("TORCHELASTIC_RESTART_COUNT", "0")) != "0":
            path = path.with_stem(f"{path.stem}-restart{restart}")  # the launcher has started the job again
        if path.exists():
            if not args.force:
                raise RecordError(f"{path} exists already; --force overwrites it")
            _check_replaceable(path)
            for old in (path, path.with_name(path.name + "-wal"), path.with_name(path.name + "-shm")):
                old.unlink(missing_ok=True)
        return kind(path.absolute(), args.budget, driver)
    name = f"{Path(program.name).stem}-{time.strftime('%Y%m%d-%H%M%S')}"
    try:
        return kind(unused(RECORDS, name).absolute(), args.budget, driver)
    except RecordError as error:
        # The user did not ask for a file here, so the training must run without it.
        folder = Path(tempfile.mkdtemp(prefix="traindx-"))
        print(f"traindx: {error}; the record goes to {folder}", file=sys.stderr)
        return kind(folder / f"{name}.tdx", args.budget, driver)


def _check_replaceable(path: Path) -> None:
    """`--force` overwrites records that no process is writing, and no other kind of file."""
    kind = 0
    try:
        with closing(sqlite3.connect(path, timeout=0.0)) as connection:
            kind = connection.execute("PRAGMA application_id").fetchone()[0]
            if kind == schema.APPLICATION_ID:
                connection.execute("PRAGMA journal_mode=DELETE")  # fails while another process has it open
    except sqlite3.OperationalError:
        raise RecordError(f"{path} is in use by another run; choose another name for --out") from None
    except sqlite3.DatabaseError:
        pass  # not a database
    if kind != schema.APPLICATION_ID:
        raise RecordError(f"{path} is not a traindx record; --force overwrites only records")


ALONE = (
    "the launcher was told to start {asked} processes, but the recorded one trained alone: it joined no process group, "
    "so no gradients were averaged"
)
NO_RECORD = "no process of the job left a record: none of them began the script"
NEVER_TRAINED = "traindx: this script never trained: no backward pass was seen in this process"


def _report(recording: Recording, shown: Path | None, stderr: TextIO) -> Diagnosis | None:
    """Print the diagnosis on stderr and return it. A failure here must not change how the script ends."""
    with suppress(Exception):  # the script may have closed or replaced it
        sys.stdout.flush()
    if recording.writer.lost is not None:
        return None
    if shown is None:
        with suppress(Exception):
            print(f"{NEVER_TRAINED}; no record was kept", file=stderr, flush=True)
        return None
    return _diagnose(recording.writer.path, shown, stderr)


def _diagnose(record: Path, shown: Path, stderr: TextIO) -> Diagnosis | None:
    diagnosis = None
    try:
        from ..diagnosis import diagnose
        from ..history import with_similar_case
        from ..record.reading import load
        from ..reports import render
        from ._output import terminal_look

        run = load(record)
        run.source = str(shown)
        # A script that stops at a non-finite first loss, before any backward, must be diagnosed too.
        if "everything" in run.observers_off:
            found = f"traindx: this script was not observed to its end: {run.observers_off['everything']}"
        elif not run.backwards and not run.steps and not run.events_of("nonfinite-loss"):
            found = NEVER_TRAINED
        else:
            found = ""
        kept = f"traindx: record kept in {shown}"
        if found:
            found += f"\n{kept}"
        else:  # the last line of a report is the next command
            diagnosis = diagnose(run)
            found = f"{kept}\n\n{render(with_similar_case(diagnosis), 'text', **terminal_look(stderr))}"
    except Exception as error:
        found = f"traindx: the record is in {shown}, but could not be diagnosed ({type(error).__name__}: {error})"
    with suppress(Exception):  # the script may have closed it
        print(found, file=stderr, flush=True)
    return diagnosis


def _leave(ending: Ending) -> int:
    if ending.interrupted:
        # Like python, end by the signal itself, so that the calling shell knows.
        with suppress(Exception):
            sys.stdout.flush()
            sys.stderr.flush()
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGINT)
    return ending.code
