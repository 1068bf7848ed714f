"""Computes the new contents of files after a patch. It writes nothing: the server does, after a confirmation."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

from .....edits import patched_texts
from ..problem import Problem

LARGEST_PATCH = 200_000  # characters


def read(patch: str, folder: str) -> dict[str, Any]:
    if len(patch) > LARGEST_PATCH:
        raise Problem(f"this patch has {len(patch)} characters; a fix of traindx has a few hundred")
    before: dict[Path, str] = {}  # digests of exactly the bytes that the patch was applied to

    def opened(path: Path) -> bytes:
        content = path.read_bytes()
        before[path] = hashlib.sha256(content).hexdigest()
        return content

    try:
        texts = patched_texts(patch, Path(folder), opened)
    except (ValueError, IndexError):
        raise Problem("this is not a unified diff with a/ and b/ prefixes; take fix.patch as it is") from None
    if not texts:
        raise Problem(
            f"the patch does not exactly match the files in {folder}. It is relative to the script's folder: name that "
            "folder. If the script has changed since it was run, run and diagnose it again"
        )
    return {"files": [{"path": str(path), "before": before[path], "text": text} for path, text in texts.items()]}
