"""Writes a patch to the user's files: all of it or nothing, only inside the project, and so that it can be undone.

The old texts are first copied to the state folder of traindx, never beside the user's files. No copy is needed if git
holds the same text of every file. A file that differs from the one that the patch was made for is not changed.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import stat
import subprocess
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from types import MappingProxyType

from ..paths import state_folder
from ..source_text import encoded
from .diff import patched_texts

_NOT_THE_USERS = {"site-packages", "dist-packages", ".venv", "venv", "node_modules", ".git"}
GIT_SECONDS = 10.0
# The settings of a repository may name programs: to watch its files, and to fetch an object that it does not hold.
GIT_SETTINGS = ("-c", "core.fsmonitor=false", "-c", "protocol.allow=never")
MOST_FILES = 2000


class ApplyError(Exception):
    """The patch could not be applied. The message is one line that says why."""


@dataclass(frozen=True)
class Change:
    """The old and the new content of one file."""

    path: Path
    old: bytes
    new: bytes


@dataclass(frozen=True)
class Applied:
    """The files that were written. `backup` is the folder with their old texts; None if git holds these."""

    files: tuple[Path, ...]
    backup: Path | None


def digests(root: Path) -> dict[Path, str]:
    """Return digests of the project's Python files, to check later that they have not changed since the run."""
    found: dict[Path, str] = {}
    for path in _sources(root.resolve()):
        with suppress(OSError):
            found[path] = _digest(path.read_bytes())
    return found


def _sources(root: Path) -> Iterator[Path]:
    looked_at = 0
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if name not in _NOT_THE_USERS and not name.startswith("."))
        for path in (Path(folder) / name for name in sorted(names) if name.endswith(".py")):
            looked_at += 1
            if looked_at > MOST_FILES:
                return
            yield path


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def changes_of(patch: str, root: Path, as_run: Mapping[Path, str] | None = None) -> list[Change]:
    """Return what the patch changes below `root`. `as_run` are the `digests` of the files at the time of the run."""
    held: dict[Path, bytes] = {}  # each file is read only once, so that no other change can come in between

    def read(name: Path) -> bytes:
        held[name] = name.read_bytes()
        return held[name]

    texts = patched_texts(patch, root, read)
    if not texts:
        raise ApplyError(f"the patch does not apply to the files in {root}: they have changed since the run")
    found = []
    for name, text in texts.items():
        path = own_file(name, root, as_run or {})
        old = held[name]
        if as_run is not None and path in as_run and as_run[path] != _digest(old):
            raise ApplyError(f"{path} has changed since the run; run traindx treat again")
        found.append(Change(path, old, _bytes_of(text, path)))
    return found


def _bytes_of(text: str, path: Path) -> bytes:
    try:
        return encoded(text)
    except ValueError:
        raise ApplyError(f"{path} declares an encoding that cannot write the new text, so it was not changed") from None


def own_file(name: Path, root: Path, as_run: Mapping[Path, str] = MappingProxyType({})) -> Path:
    """Return the file with links resolved. Raises ApplyError if it does not belong to the project.

    What was watched since the run belongs to it, too: a script may be a link to a file in another folder.
    """
    path, root = name.resolve(), root.resolve()
    inside = path.is_relative_to(root) and not _NOT_THE_USERS & set(path.relative_to(root).parts)
    if not inside and path not in as_run:
        raise ApplyError(f"{name} is outside the project folder {root} or part of a library, so it was not changed")
    if not path.is_file():
        raise ApplyError(f"{name} is not a regular file, so it was not changed")
    read_only = not stat.S_IMODE(path.stat().st_mode) & 0o222  # root could write it all the same
    if read_only or not os.access(path, os.W_OK) or not os.access(path.parent, os.W_OK):
        raise ApplyError(f"{name} cannot be written (permission denied)")
    return path


def apply(changes: Iterable[Change]) -> Applied:
    """Write the changes. If one file cannot be written, the files written before get their old text back."""
    changes = list(changes)
    with _alone({change.path.parent for change in changes}):
        return _apply(changes)


def _apply(changes: list[Change]) -> Applied:
    backup = None if all(held_by_git(change.path, change.old) for change in changes) else _copied(changes)
    done: list[Change] = []
    try:
        for change in changes:
            _replace(change.path, change.old, change.new)
            done.append(change)
    except BaseException as error:  # also after an interrupt: all files are changed or none
        if not isinstance(error, (OSError, ApplyError)):  # the interrupt may have come right after a write
            done = changes[: len(done) + 1]
        left = [change.path for change in done if not _restored(change)]
        if left:
            kept = f"; the old text is in {backup}" if backup is not None else "; git holds the old text"
            raise ApplyError(
                f"{', '.join(map(str, left))} could not be restored and is still patched ({error}){kept}"
            ) from None
        if isinstance(error, OSError):
            raise ApplyError(f"nothing was changed: {error}") from None
        raise
    return Applied(tuple(change.path for change in changes), backup)


@contextmanager
def _alone(folders: set[Path]) -> Iterator[None]:
    """Wait until no other traindx writes to these folders, as far as the file system has locks."""
    with ExitStack() as until:
        for folder in sorted(folders):
            with suppress(OSError, ImportError):
                import fcntl

                opened = os.open(folder, os.O_RDONLY)
                until.callback(os.close, opened)  # also ends the lock
                fcntl.flock(opened, fcntl.LOCK_EX)
        yield


def _restored(change: Change) -> bool:
    """Restore the old text if the file holds the new one. Return whether the new text is gone."""
    try:
        if change.path.read_bytes() == change.new:
            _replace(change.path, change.new, change.old)
    except (OSError, ApplyError):
        return False
    return True


def held_by_git(path: Path, text: bytes) -> bool:
    """Return whether the last commit and the index hold exactly this text.

    This compares the texts themselves. `git diff` would skip files marked `assume-unchanged`, and treats files as equal
    that differ in line endings or by a filter.
    """
    try:
        return all(_blob(path, version) == text for version in ("HEAD", ""))
    except (OSError, subprocess.SubprocessError):  # there is no git, it takes too long, or it has no such file
        return False


def _blob(path: Path, version: str) -> bytes:
    blob = f"{version}:./{path.name}"
    return subprocess.run(
        ["git", *GIT_SETTINGS, "-C", str(path.parent), "cat-file", "blob", blob],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=GIT_SECONDS, check=True,
    ).stdout  # fmt: skip


def _copied(changes: Iterable[Change]) -> Path:
    """Copy the old texts to a new folder that only the user can read, and return the folder."""
    folder = state_folder() / "backups"
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        stamp = datetime.now(timezone.utc).strftime("%Y%m%d-%H%M%S-")
        own = Path(tempfile.mkdtemp(prefix=stamp, dir=folder))
        for number, change in enumerate(changes):
            copy = own / (change.path.name if number == 0 else f"{number}-{change.path.name}")
            copy.touch(mode=0o600)
            copy.write_bytes(change.old)
    except OSError as error:
        raise ApplyError(f"nothing was changed: no backup could be made in {folder} ({error.strerror})") from None
    return own


def _replace(path: Path, expected: bytes, new: bytes) -> None:
    """Replace a file atomically: a concurrent reader sees either the old or the new text."""
    handle, name = tempfile.mkstemp(prefix=".traindx-", dir=path.parent)
    draft = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(new)
            file.flush()
            os.fsync(file.fileno())
        shutil.copymode(path, draft)
        with suppress(OSError):
            owner = path.stat()
            os.chown(draft, owner.st_uid, owner.st_gid)
        if path.read_bytes() != expected:
            raise ApplyError(f"{path} changed in the meantime, so it was not patched")
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)
