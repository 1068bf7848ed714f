"""A patch between proposal and confirmation: which files it changes, and a token that is good for just that."""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from .refusals import Refusal

_SECRET = secrets.token_bytes(32)  # of this server; a token of another one is worth nothing


@dataclass(frozen=True)
class Change:
    """One file: where it is, what it held when the patch was read, and what it shall hold."""

    path: Path
    before: str  # SHA-256
    text: str


def token_for(patch: str, changes: Sequence[Change]) -> str:
    """Depends on the patch and on the present content of every file that it changes."""
    content = "\0".join([hashlib.sha256(patch.encode()).hexdigest(), *(f"{c.path}\0{c.before}" for c in changes)])
    return hmac.new(_SECRET, content.encode(), hashlib.sha256).hexdigest()[:32]


def write(changes: Sequence[Change]) -> None:
    """Change all files or none. Refuses when one is no longer what the patch was made for."""
    before: Mapping[Path, bytes] = {change.path: change.path.read_bytes() for change in changes}
    if any(hashlib.sha256(before[change.path]).hexdigest() != change.before for change in changes):
        raise Refusal("A file changed while the patch waited; nothing was written.", "Diagnose again.")
    done: list[Path] = []
    try:
        for change in changes:
            _replace(change.path, change.text.encode("utf-8"))
            done.append(change.path)
    except OSError as error:
        for path in done:
            _replace(path, before[path])
        raise Refusal(
            f"{error.filename or 'A file'} cannot be written ({error.strerror}); nothing was changed.", ""
        ) from None


def _replace(path: Path, content: bytes) -> None:
    """The old content or the new one stands there at every moment."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        Path(name).chmod(path.stat().st_mode & 0o7777)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
