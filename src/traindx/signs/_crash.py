"""Scripts that died in a backward pass for a reason that torch's own message gives."""

from __future__ import annotations

from ..record import Run
from ..record.values import text
from ._base import Missing, Sign, place


def died_saying(run: Run, sign_id: str, words: str, reason: str, otherwise: str) -> Sign | Missing:
    """1 where the error that ended the script holds these words, 0 where it ended otherwise."""
    error = run.fact("error")
    if not error and not isinstance(run.facts.get("exit"), str):
        return Missing(sign_id, "how the script ended is not known")
    said = words in text(error.get("message"))
    return Sign(
        sign_id,
        float(said),
        float(said),
        f"backward failed because {reason}{place(error.get('site'))}" if said else otherwise,
        onset=run.steps if said else None,
        severity="critical" if said else "info",
    )
