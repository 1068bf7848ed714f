"""A patch that waits for confirmation: the files it changes, and a token that is valid only for this patch."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ...edits.applying import Applied, ApplyError, apply
from ...edits.applying import Change as FileChange
from .refusals import Refusal

_SECRET = secrets.token_bytes(32)  # of this server; tokens of another one are invalid


@dataclass(frozen=True)
class Change:
    """One file: its path, the digest of its content when the patch was read, and its new text."""

    path: Path
    before: str  # SHA-256
    text: str


def token_for(patch: str, changes: Sequence[Change]) -> str:
    """The token. It depends on the patch and on the current content of every file that it changes."""
    content = "\0".join([hashlib.sha256(patch.encode()).hexdigest(), *(f"{c.path}\0{c.before}" for c in changes)])
    return hmac.new(_SECRET, content.encode(), hashlib.sha256).hexdigest()[:32]


def write(changes: Sequence[Change]) -> Applied:
    """Change all files or none, as `treat --apply` does. Refuses if a file has changed since the patch was read."""
    try:
        found = [FileChange(change.path, change.path.read_bytes(), change.text.encode("utf-8")) for change in changes]
        pairs = zip(found, changes, strict=True)
        if any(hashlib.sha256(one.old).hexdigest() != change.before for one, change in pairs):
            raise Refusal("A file changed while the patch waited; nothing was written.", "Diagnose again.")
        return apply(found)
    except (ApplyError, OSError) as error:
        raise Refusal(f"Not applied: {error}.", "") from None
