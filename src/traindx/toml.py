"""Reads TOML, also on Python 3.10, whose standard library cannot; and the TOML files of a package, each one unit."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib.resources import files
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

TomlError = tomllib.TOMLDecodeError


def parse(text: str) -> dict[str, Any]:
    """Raises `TomlError` with the line that cannot be read."""
    return tomllib.loads(text)


def table(package: str, name: str) -> dict[str, Any]:
    """The content of one TOML file of the package."""
    return parse(files(package).joinpath(name).read_text(encoding="utf-8"))


def tables(package: str, folder: str = "") -> Iterator[dict[str, Any]]:
    """The content of each TOML file in a folder of the package, in the order of their names."""
    found = (file for file in files(package).joinpath(folder).iterdir() if file.name.endswith(".toml"))
    for file in sorted(found, key=lambda file: file.name):
        yield parse(file.read_text(encoding="utf-8"))
