"""Overwrites a file to test whether isolation protects it: `main([FILE, FOLDER])`."""

from __future__ import annotations

from pathlib import Path


def main(words: list[str]) -> int:
    precious, real = map(Path, words)
    other = precious.with_name("other")
    precious.write_text("after")
    precious.rename(other)
    precious.mkdir()
    seen = other.read_text() == "after" and precious.is_dir()
    if seen:
        (real / "done").touch()
    return int(not seen)
