"""The line behind a call is named in the file that it stands in."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from traindx.observe.sites import here, where_made


def test_the_same_code_in_two_files_is_told_apart(tmp_path: Path) -> None:
    sites: list[Any] = []
    for name in ("one.py", "other.py"):
        (tmp_path / name).write_text("sites.append(here())\n")
        code = compile("sites.append(here())\n", str(tmp_path / name), "exec")
        exec(code, {"sites": sites, "here": here})
    assert [Path(site["file"]).name for site in sites] == ["one.py", "other.py"]


def test_an_optimizer_of_ones_own_is_made_where_its_class_is_called() -> None:
    class Base:
        def __init__(self) -> None:
            self.site = where_made(self)

    class Own(Base):
        def __init__(self) -> None:
            super().__init__()

    made = Own()
    assert made.site is not None and made.site["text"] == "made = Own()"
