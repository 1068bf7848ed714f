"""A page of text with labels in a narrow left column and their texts beside them (below them in narrow terminals)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ...wording import clean
from .._look import Look
from .folding import cells, fold

MARGIN = 14
NARROW = 60  # in a narrower terminal, labels are above their texts
INDENT = 2  # of the texts in a narrow terminal
READABLE = 120  # the widest paragraph; curves, tables and code take the whole width
STYLES = {"bold": "1", "dim": "2", "red": "1;31", "yellow": "1;33", "green": "1;32", "added": "32", "removed": "31"}


class Page:
    def __init__(self, look: Look) -> None:
        self.look = look
        self.margin = MARGIN if look.width >= NARROW else INDENT
        self.lines: list[str] = []

    def __str__(self) -> str:
        return "\n".join(self.lines).strip("\n")

    def gap(self) -> None:
        if self.lines and self.lines[-1]:
            self.lines.append("")

    def prose(self, label: str, text: str, *, style: str = "bold", bullet: str = "", mark: str | None = None) -> None:
        """A wrapped paragraph beside its label. `mark` colours the bullet."""
        bullet = clean(bullet, self.look.ascii_only)
        room = max(20, min(self.look.width, READABLE) - self.margin - cells(bullet))
        folded = fold(clean(text, self.look.ascii_only), room)
        hang = " " * cells(bullet)
        first = self.styled(bullet, mark) if mark and bullet else bullet
        self.block(label, [(hang if i else first) + line for i, line in enumerate(folded)], style=style)

    def items(
        self, label: str, texts: Sequence[str], *, most: int, bullet: str = "- ", marks: Sequence[str | None] = ()
    ) -> None:
        """A list of short texts; only the first `most`, unless with --why. `marks` colour the bullets."""
        shown = texts if self.look.why else texts[:most]
        for i, text in enumerate(shown):
            self.prose("" if i else label, text, bullet=bullet, mark=marks[i] if i < len(marks) else None)
        if len(shown) < len(texts):
            indent = " " * (len(bullet) - len(bullet.lstrip()))
            self.prose("", f"({len(texts) - len(shown)} more with --why)", bullet=indent, style="dim")

    def block(self, label: str, lines: Iterable[str], *, style: str = "bold") -> None:
        """Lines as they are, for code, commands and curves. The first is beside the label."""
        for i, line in enumerate(lines):
            head = "" if i else label
            if head and self.margin < MARGIN:
                self.lines.append(self.styled(head, style))
                head = ""
            self.lines.append((self.styled(f"{head:<{self.margin}}", style) if head else " " * self.margin) + line)
            self.lines[-1] = self.lines[-1].rstrip()

    def styled(self, text: str, style: str) -> str:
        return f"\x1b[{STYLES[style]}m{text}\x1b[0m" if self.look.colour else text
