"""Reads TOML, also on Python 3.10, whose standard library cannot."""

from __future__ import annotations

import sys
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

TomlError = tomllib.TOMLDecodeError


def parse(text: str) -> dict[str, Any]:
    """Raises `TomlError` with the line that cannot be read."""
    return tomllib.loads(text)
