"""Formats are the files of the package, and a file's suffix chooses one."""

from __future__ import annotations

from pathlib import Path

import pytest
from report_samples import sick

from traindx.reports import format_names, format_of, render


def test_the_formats_are_found() -> None:
    assert {"text", "markdown", "json"} <= set(format_names())


@pytest.mark.parametrize(
    ("name", "expected"),
    [("a.md", "markdown"), ("a.JSON", "json"), ("a.jsonl", "jsonl"), ("a.txt", "text"), ("report", "text")],
)
def test_the_suffix_chooses(name: str, expected: str) -> None:
    assert format_of(Path(name)) == expected


def test_every_format_renders() -> None:
    for name in format_names():
        assert "lr-too-high" in render(sick(), name)


def test_an_unknown_format_is_refused() -> None:
    with pytest.raises(ValueError, match="no format 'pdf'"):
        render(sick(), "pdf")
