"""A patch between proposal and confirmation: which files it changes, and a token that is good for just that."""

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


def write(changes: Sequence[Change]) -> Applied:
    """Change all files or none, as `treat --apply` does. Refuses when one is no longer what the patch was made for."""
    try:
        found = [FileChange(change.path, change.path.read_bytes(), change.text.encode("utf-8")) for change in changes]
        pairs = zip(found, changes, strict=True)
        if any(hashlib.sha256(one.old).hexdigest() != change.before for one, change in pairs):
            raise Refusal("A file changed while the patch waited; nothing was written.", "Diagnose again.")
        return apply(found)
    except (ApplyError, OSError) as error:
        raise Refusal(f"Not applied: {error}.", "") from None
