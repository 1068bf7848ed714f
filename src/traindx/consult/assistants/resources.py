"""Pages that clients can read: every cause, sign and overview page, the guides of `docs/`, and the skill file."""

from __future__ import annotations

from collections.abc import Callable
from importlib.resources import files
from pathlib import Path

from mcp.server.mcpserver.resources import FunctionResource, Resource

import traindx

MARKDOWN = "text/markdown"


def all_resources() -> list[Resource]:
    """All pages by name and title. A page is read only when a client asks for it."""
    from ...causes import all_causes, page_names, page_title

    causes = [_resource(f"explain/{cause.id}", cause.title, _cause(cause.id)) for cause in all_causes().values()]
    pages = [_resource(f"explain/{name}", page_title(name), _page(name)) for name in page_names()]
    guides = [_resource(f"docs/{_name(guide)}", _title(guide), _text(guide)) for guide in _guides()]
    return [_resource("skill", "How to use traindx", _skill), *causes, *pages, *guides]


def _resource(name: str, title: str, read: Callable[[], str]) -> Resource:
    return FunctionResource.from_function(read, uri=f"traindx://{name}", name=name, title=title, mime_type=MARKDOWN)


def _cause(name: str) -> Callable[[], str]:
    def read() -> str:
        from ...causes import all_causes

        cause = all_causes()[name]
        return f"# {cause.title}\n\n`{cause.id}`\n\n{cause.page.strip()}\n"

    return read


def _page(name: str) -> Callable[[], str]:
    def read() -> str:
        from ...causes import read_page

        return read_page(name) or ""

    return read


def _skill() -> str:
    return files(__package__).joinpath("skill.md").read_text(encoding="utf-8")


def _docs() -> Path | None:
    """The folder `docs`: inside an installed package, or beside the sources of a clone."""
    package = Path(traindx.__file__).parent
    places = (package / "docs", package.parents[1] / "docs")
    return next((place for place in places if (place / "record.md").is_file()), None)


def _guides() -> list[Path]:
    folder = _docs()
    found = [] if folder is None else sorted(folder.rglob("*.md"))
    return [
        file
        for file in found
        if not any(part.startswith(("_", ".")) for part in file.relative_to(folder or file).parts)
    ]


def _name(guide: Path) -> str:
    return guide.relative_to(_docs() or guide.parent).with_suffix("").as_posix()


def _title(guide: Path) -> str:
    with guide.open(encoding="utf-8") as file:
        heading = next((line for line in file if line.startswith("# ")), guide.stem)
    return heading.lstrip("# ").strip()


def _text(guide: Path) -> Callable[[], str]:
    return lambda: guide.read_text(encoding="utf-8")
