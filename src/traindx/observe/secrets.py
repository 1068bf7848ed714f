"""Arguments as they may be recorded: whatever looks like a secret is masked."""

from __future__ import annotations

import re
from collections.abc import Sequence

_NAME = re.compile(r"(key|token|secret|passw|pwd|credential|auth|cookie|dsn)", re.IGNORECASE)
# Long strings without spaces that mix letters and digits, known prefixes of access keys, URLs with a password.
_VALUE = re.compile(
    r"^(sk-|hf_|ghp_|gho_|github_pat_|xox[a-z]-|AKIA|AIza|eyJ)|^(?=.*[0-9])(?=.*[A-Za-z])[A-Za-z0-9+/=_-]{24,}$|://[^/\s:]+:[^/\s@]+@"
)
MASK = "***"


def masked(arguments: Sequence[str]) -> list[str]:
    """The arguments with secret values replaced. `--api-key=x`, `--api-key x` and bare tokens are recognised."""
    shown = []
    hide_next = False
    for argument in arguments:
        name, equals, value = argument.partition("=")
        if hide_next and not argument.startswith("-"):
            shown.append(MASK)
        elif equals and (_NAME.search(name) or _VALUE.search(value)):
            shown.append(f"{name}={MASK}")
        elif _VALUE.search(argument) and not argument.startswith("--"):
            shown.append(MASK)
        else:
            shown.append(argument)
        hide_next = argument.startswith("-") and not equals and bool(_NAME.search(argument))
    return shown
