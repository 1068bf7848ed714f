"""The overview pages: Markdown files beside the causes, for what concerns several causes at once."""

from __future__ import annotations

from importlib.resources import files


def page_names() -> list[str]:
    """The pages' names, in alphabetical order."""
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
    first = (read_page(name) or name).splitlines()[0]
    return first.lstrip("# ").strip()
