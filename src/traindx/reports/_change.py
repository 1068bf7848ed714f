"""A fix as lines to show: the diff of the user's file, or the pattern to follow."""

from __future__ import annotations

from ..causes import Fix


def change(fix: Fix) -> list[str]:
    """The diff without its file names, which the report shows separately; without a diff, the code pattern."""
    if fix.patch:
        return [line for line in fix.patch.splitlines() if not line.startswith(("--- ", "+++ "))]
    return fix.code.strip("\n").splitlines()


def is_diff(fix: Fix) -> bool:
    return bool(fix.patch)
