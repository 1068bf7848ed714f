"""What follows a treatment: the case is kept in the history, and with --apply the patch is written and run."""

from __future__ import annotations

import argparse
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from ..paths import shown
from ._say import say

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
    """Digests of the project's files before the script runs."""
    from ..edits.applying import digests

    return {} if script.module else digests(Path(script.path).parent)


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
        say(f"traindx treat: {error}; the case was not kept", sys.stderr)


def apply_patch(diagnosis: Diagnosis, script: Script, as_run: Mapping[Path, str], force: bool, watch: Watch) -> int:
    """Write the patch and run the result. Returns the exit code. A refusal prints one line and changes no file."""
    from ..edits.applying import ApplyError, apply, changes_of
    from ..probes.launch import ProbeError
    from ..treatments.rerun import behaves_like_trial

    patch = _patch(diagnosis, force)
    why = _refusal(diagnosis, patch, force)
    if why or patch is None:
        return _say(f"not applied: {why}", REFUSED)
    root = Path(script.path).resolve().parent
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
    if diagnosis.treatment is None or diagnosis.treatment.verdict != "cured":
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
        cured = treatment is not None and treatment.verdict == "cured"
        if cured:
            return "the place to change is unknown; the fix above says what to do"
        return "no cure was proven" if not force else "there is no patch for the leading cause"
    if force or treatment is None:
        return None if force else "no cure was proven"
    if treatment.verdict != "cured":
        return "no cure was proven (--force applies the patch of the leading cause anyway)"
    if treatment.confirmed_by_patched_run is False:
        return "the patched script did not behave like the trial (--force applies the patch anyway)"
    return None


def _say(text: str, code: int = 0) -> int:
    say(f"traindx treat: {text}", sys.stderr)
    return code
