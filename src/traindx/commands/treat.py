"""Test the leading hypotheses by short controlled re-runs, and show the patch.

The script runs once as it is, up to 1,000 steps. If that run is healthy, there
is nothing to treat. Otherwise the most likely causes are tested, one change at
a time, inside the script's own loop and without changing its file: the treated
run is compared with a control with the same seeds, and with a placebo that
changes next to nothing, until the difference is decided. A change cures if the
symptom is gone and the outcome is better. Then the script runs once with the
patch of the proven cause.

The runs are isolated: what the script writes, renames and deletes stays in a
temporary overlay, the network is off, and programs that it starts end with it
(docs/safety.md). --in-place runs the script without isolation. Finished runs
are kept in the user's cache folder; Ctrl-C keeps what is done.

--apply writes the proven patch into your files, only inside the script's
folder. Files with uncommitted changes, or outside git, are first copied to
traindx's state folder; the path is printed. Nothing is written if a file
changed since the run, or if no cure was proven (--force overrides the latter).
Then the patched script runs once more, isolated like the trials.

A solved case is kept in traindx history, unless --no-history is given.

Given a record (.tdx) of a run instead of a script, the script, its arguments
and its folder are taken from the record, unless the record masks them.

Exit codes: 0; 1 if --apply wrote nothing, or if the patched script does not
behave like the trial; 2 if the script cannot be run.
"""

from __future__ import annotations

import argparse
import os
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from ..paths import shown
from ._inputs import add_format
from ._say import CommandError, complain
from ._script import add_script, announce, script_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..diagnosis import Diagnosis
    from ..probes.launch import Script
    from ..treatments.rerun import Watch

REFUSED = 1


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--apply", action="store_true", help="write the proven patch into your files, and run the result once"
    )
    parser.add_argument("--force", action="store_true", help="with --apply: also write a patch that no trial proved")
    parser.add_argument("--no-history", action="store_true", help="do not keep this case in traindx history")


def files_now(script: Script) -> Mapping[Path, str]:
    """Digests of the project's files before it runs. A script that is a link belongs to the folder of its file."""
    from ..edits.applying import digests

    return digests(Path.cwd() if script.module else Path(script.path).resolve().parent)


def remember_case(diagnosis: Diagnosis, script: Script) -> None:
    """Keep a cured case in the history. If the history cannot be written, print one line and continue."""
    from ..history import Case, Effect, HistoryError, remember
    from ..treatments.rerun import proving_trial

    trial, treatment = proving_trial(diagnosis), diagnosis.treatment
    if trial is None or treatment is None:
        return
    fix = diagnosis.leading.fix
    effect = trial.effect
    case = Case(
        script=script.path,
        signature={name: sign.level for name, sign in diagnosis.signs.items()},
        cause=trial.cause,
        intervention=trial.intervention,
        verdict=trial.verdict,
        fix=fix.summary if fix is not None else f"{trial.title} ({trial.dose}).",
        effect=Effect(effect.measure, effect.control, effect.treated, effect.interval),
        patch=treatment.patch,
    )
    try:
        remember(case)
    except HistoryError as error:
        complain("treat", f"{error}; the case was not kept")


def apply_patch(diagnosis: Diagnosis, script: Script, as_run: Mapping[Path, str], force: bool, watch: Watch) -> int:
    """Write the patch and run the result. Returns the exit code. A refusal prints one line and changes no file."""
    from ..edits.applying import ApplyError, apply, changes_of
    from ..probes.launch import ProbeError
    from ..treatments.rerun import behaves_like_trial

    patch = _patch(diagnosis, force)
    why = _refusal(diagnosis, patch, force)
    if why or patch is None:
        return _say(f"not applied: {why}", REFUSED)
    root = Path(script.path).absolute().parent
    try:
        applied = apply(changes_of(patch, root, as_run))
    except ApplyError as error:
        return _say(f"not applied: {error}", REFUSED)
    names = ", ".join(shown(str(path)) for path in applied.files)
    if applied.backup is not None:
        _say(f"applied to {names}; the old version is in {applied.backup}")
    else:
        undo = " ".join(shlex.quote(shown(str(path))) for path in applied.files)
        _say(f"applied to {names}; to undo: git checkout -- {undo}")
    if diagnosis.treatment is None or not diagnosis.treatment.proves:
        return _say("no trial proved this patch, so it was not run again")
    try:
        alike, text = behaves_like_trial(script, diagnosis, watch)
    except ProbeError as error:
        return _say(f"the patched script could not be run: {error}", REFUSED)
    if alike:
        return _say(f"the patched script behaves like the trial: {text}")
    return _say(f"the patched script does NOT behave like the trial: {text}", REFUSED)


def _patch(diagnosis: Diagnosis, force: bool) -> str | None:
    proven = diagnosis.treatment.patch if diagnosis.treatment is not None else None
    fix = diagnosis.leading.fix
    return proven or (fix.patch if force and fix is not None else None)


def _refusal(diagnosis: Diagnosis, patch: str | None, force: bool) -> str | None:
    """Why the patch must not be written; None if it may be."""
    treatment = diagnosis.treatment
    if patch is None:
        if treatment is not None and treatment.proves:
            return "the place to change is unknown; the fix above says what to do"
        return "no cure was proven" if not force else "there is no patch for the leading cause"
    if force or treatment is None:
        return None if force else "no cure was proven"
    if not treatment.proves:
        return "no cure was proven (--force applies the patch of the leading cause anyway)"
    if treatment.confirmed_by_patched_run is False:
        return "the patched script did not behave like the trial (--force applies the patch anyway)"
    return None


def _say(text: str, code: int = 0) -> int:
    complain("treat", text)
    return code


HELP = "prove the cause by controlled re-runs, and show the patch"


def configure(parser: argparse.ArgumentParser) -> None:
    add_format(parser)
    parser.add_argument(
        "--minutes", type=float, metavar="M", help="stop after M minutes; within them, more than three trials are made"
    )
    parser.add_argument(
        "--on", metavar="CLUSTER", help="where to run: ray (the cluster of this machine) or ray://HOST:PORT"
    )
    parser.add_argument("--no-cache", action="store_true", help="repeat every run, and keep none in the cache")
    add_options(parser)
    add_script(parser)
    script = next(action for action in parser._actions if action.dest == "script")
    script.metavar, script.help = "SCRIPT|RUN", "the training script (or module, with -m), or the record of a run"


def run(arguments: argparse.Namespace) -> int:
    from ..treatments import Options, treat
    from ..treatments.caching import usual_folder
    from ..treatments.on_ray import is_address
    from ._output import check_writable, deliver_diagnoses
    from ._progress import TrialProgress

    if arguments.minutes is not None and not arguments.minutes > 0:
        raise CommandError("--minutes must be positive")
    if arguments.on is not None and not is_address(arguments.on):
        raise CommandError(f"--on takes ray or ray://HOST:PORT, not {arguments.on!r}")
    if arguments.force and not arguments.apply:
        raise CommandError("--force needs --apply")
    check_writable(arguments.output, inputs=[arguments.script])
    output = arguments.output.absolute() if arguments.output else None  # a record may change the working folder
    script = from_record(arguments) if is_record(arguments) else script_of(arguments)
    as_run = files_now(script) if arguments.apply else {}
    announce("treat", script)
    with TrialProgress() as watch:
        options = Options(
            arguments.minutes, None if arguments.no_cache else usual_folder(), watch=watch, on=arguments.on
        )
        try:
            diagnosis = treat(script, options)
        except KeyboardInterrupt:
            watch.say("interrupted before there was anything to decide; finished runs are kept in the cache")
            raise
    if not arguments.no_history:
        remember_case(diagnosis, script)
    arguments.output = output
    deliver_diagnoses([diagnosis], arguments)
    if not arguments.apply:
        return 0
    with TrialProgress() as watch:
        return apply_patch(diagnosis, script, as_run, arguments.force, watch)


def is_record(arguments: argparse.Namespace) -> bool:
    return not arguments.module and Path(arguments.script).suffix.lower() == ".tdx"


def from_record(arguments: argparse.Namespace) -> Script:
    """The script of a recorded run. Changes to the folder in which it was started."""
    from ..edits import Project
    from ..probes.launch import Script
    from ..record import load
    from ..record.vocabulary import MASK

    if arguments.args:
        raise CommandError("a record has its own arguments; to use others, name the script instead of the record")
    run = load(Path(arguments.script))
    path, argv, module = run.script.path, run.script.argv, run.script.module
    if run.kind != "observed" or not path:
        raise CommandError(f"{arguments.script} names no script: use traindx treat train.py instead")
    masked = [word for word in argv if MASK in word]
    if masked:
        called = shlex.join(["traindx", "treat", *(["-m"] if module else []), path])
        raise CommandError(f"the record masks arguments of {path} ({', '.join(masked)}): {called} with its arguments")
    project = Project.of(run)
    if project is None and not module:
        raise CommandError(f"{path} of {arguments.script} is missing or has changed: name the script instead")
    if project is not None and project.base.is_dir():
        os.chdir(project.base)
    return Script(path, argv, module, arguments.in_place)
