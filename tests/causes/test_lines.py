"""One line of source: the name that it assigns."""

from __future__ import annotations

import pytest

from traindx.causes._known import assigned_name


@pytest.mark.parametrize(
    ("line", "expected"), [("opt = f()", "opt"), ("self.opt = f()", "self.opt"), ("a, b = f()", None), ("f(", None)]
)
def test_assigned_name(line: str, expected: str | None) -> None:
    assert assigned_name(line) == expected
