"""What an assistant may see: the folders that it may use, and text without hidden characters.

Every path of a call is checked here. Logs and scripts may contain anything, also terminal escapes and sentences that
address an assistant. They are returned only as values of JSON fields; hidden characters in such a value are removed.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mcp.server.mcpserver.exceptions import ToolError

LONGEST_TEXT = 100_000  # a patch or a page
MOST_ITEMS = 2000  # of one list
# Cc: control, Cf: format (directions, zero width), Cs: half a character, Co and Cn: no character at all
HIDDEN = {"Cc", "Cf", "Cs", "Co", "Cn"}
KEPT = "\n\t"


def plain_text(text: str, longest: int = LONGEST_TEXT) -> str:
    """`text` without hidden characters. If it is cut, the number of missing characters is added."""
    lines = (
        "".join(c for c in line if c in KEPT or unicodedata.category(c) not in HIDDEN) for line in text.split("\r\n")
    )
    shown = "\r\n".join(lines)  # a patch of a file with these line endings must keep them
    return shown if len(shown) <= longest else f"{shown[:longest]} [{len(shown) - longest} characters left out]"


def plain(value: Any) -> Any:
    """The same for all texts inside a JSON value. NaN and infinities become strings, as in a diagnosis."""
    if isinstance(value, str):
        return plain_text(value)
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    if isinstance(value, Mapping):
        return {plain_text(str(key), 1000): plain(inner) for key, inner in value.items()}
    if isinstance(value, Sequence):
        return [plain(inner) for inner in value[:MOST_ITEMS]]
    return value


class Refusal(ToolError):
    """What is wrong, and what to do instead. Both reach the assistant as an error result."""

    def __init__(self, wrong: str, instead: str) -> None:
        super().__init__(plain_text(f"{wrong} {instead}".strip()))


LONGEST_PATH = 4096


@dataclass(frozen=True)
class Folders:
    """Resolved folders. Relative paths start at the first one."""

    roots: tuple[Path, ...]

    @classmethod
    def of(cls, named: Sequence[Path]) -> Folders:
        return cls(tuple(dict.fromkeys(folder.resolve() for folder in named or [Path.cwd()])))

    @property
    def home(self) -> Path:
        return self.roots[0]

    def inside(self, given: str) -> Path:
        """The existing file or folder, with links resolved."""
        path = self.place(given)
        if not path.exists():
            raise Refusal(
                f"{given} does not exist (relative paths start at {self.home}).", "Call list_runs to see what is there."
            )
        return path

    def file(self, given: str, kind: str) -> Path:
        path = self.inside(given)
        if not path.is_file():
            raise Refusal(f"{given} is not a file.", f"Name {kind}.")
        return path

    def folder(self, given: str | None) -> Path:
        path = self.home if given is None else self.inside(given)
        if not path.is_dir():
            raise Refusal(f"{given} is not a folder.", "Name the folder that holds it.")
        return path

    def place(self, given: str) -> Path:
        """The resolved path, whether or not it exists. Refuses paths outside the allowed folders."""
        if not given or len(given) > LONGEST_PATH or "\0" in given:
            raise Refusal("This is not a path.", "Name a file or a folder, relative to the allowed folder.")
        try:
            path = (self.home / given).resolve()
        except (OSError, RuntimeError):  # a loop of links
            raise Refusal(f"{given} cannot be resolved to a file.", "Name the file itself.") from None
        if not any(path.is_relative_to(root) for root in self.roots):
            allowed = ", ".join(map(str, self.roots))
            raise Refusal(
                f"{given} is outside the allowed folders ({allowed}).",
                "Name a path inside them. Only the user can allow more: traindx mcp --root FOLDER.",
            )
        return path

    def shown(self, path: Path) -> str:
        """The path as an assistant should write it: relative to the first folder if it is inside it."""
        return str(path.relative_to(self.home)) if path.is_relative_to(self.home) else str(path)
