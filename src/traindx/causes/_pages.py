"""What reports quote of a cause's page, and the overview pages: Markdown files that concern several causes."""

from __future__ import annotations

import re
from importlib.resources import files


def section(page: str, title: str) -> str:
    """The Markdown below that heading, up to the next one; empty where the page has no such section."""
    _, _, below = f"\n{page}\n".partition(f"\n## {title}\n")
    return below.partition("\n## ")[0]


def first_paragraph(text: str) -> str:
    return _plain(text.strip().partition("\n\n")[0])


def bullets(text: str) -> list[str]:
    """The entries of a list, each on one line."""
    return [_plain(entry) for entry in re.split(r"^[-*] ", text, flags=re.MULTILINE)[1:]]


def _plain(text: str) -> str:
    """Without line breaks and without backticks around code."""
    return " ".join(text.replace("`", "").split())


def page_names() -> list[str]:
    """The overview pages' names, in alphabetical order."""
    found = files(__package__).joinpath("pages").iterdir()
    return sorted(file.name.removesuffix(".md") for file in found if file.name.endswith(".md"))


def read_page(name: str) -> str | None:
    """The Markdown of one page, or None where there is no such page; underscores and case are forgiven."""
    name = name.strip().lower().replace("_", "-")
    if name not in page_names():  # also keeps paths like ../x out
        return None
    return files(__package__).joinpath("pages", f"{name}.md").read_text(encoding="utf-8")


def page_title(name: str) -> str:
    """The first heading of a page."""
    return (read_page(name) or name).splitlines()[0].lstrip("# ").strip()
