"""A page of text: a narrow column of labels on the left, what they label on the right (below, in narrow terminals)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ...wording import clean
from .._look import Look
from .folding import cells, fold

MARGIN = 14
NARROW = 60  # columns below which a label stands above its text
INDENT = 2  # of the text then
READABLE = 120  # columns of prose; curves, tables and code take the whole width
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
        """A paragraph beside its label; nothing of it is cut. `mark` colours the bullet."""
        bullet = clean(bullet, self.look.ascii_only)
        room = max(20, min(self.look.width, READABLE) - self.margin - cells(bullet))
        folded = fold(clean(text, self.look.ascii_only), room)
        hang = " " * cells(bullet)
        first = self.styled(bullet, mark) if mark and bullet else bullet
        self.block(label, [(hang if i else first) + line for i, line in enumerate(folded)], style=style)

    def items(
        self, label: str, texts: Sequence[str], *, most: int, bullet: str = "- ", marks: Sequence[str | None] = ()
    ) -> None:
        """A list of short texts; only the first `most` unless everything was asked for. `marks` colour the bullets."""
        shown = texts if self.look.why else texts[:most]
        for i, text in enumerate(shown):
            self.prose("" if i else label, text, bullet=bullet, mark=marks[i] if i < len(marks) else None)
        if len(shown) < len(texts):
            indent = " " * (len(bullet) - len(bullet.lstrip()))
            self.prose("", f"({len(texts) - len(shown)} more with --why)", bullet=indent, style="dim")

    def block(self, label: str, lines: Iterable[str], *, style: str = "bold") -> None:
        """Lines as they are, the first beside the label. Code, commands and curves are not folded."""
        for i, line in enumerate(lines):
            head = "" if i else label
            if head and self.margin < MARGIN:
                self.lines.append(self.styled(head, style))
                head = ""
            self.lines.append((self.styled(f"{head:<{self.margin}}", style) if head else " " * self.margin) + line)
            self.lines[-1] = self.lines[-1].rstrip()

    def styled(self, text: str, style: str) -> str:
        return f"\x1b[{STYLES[style]}m{text}\x1b[0m" if self.look.colour else text
