"""`make test` tries the same examples each time; `make nightly` tries new ones, and more of them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

CONFTEST = Path(__file__).with_name("conftest.py")
TEST = """
from hypothesis import HealthCheck, given, settings, strategies as st

LENIENT = settings(max_examples=7, suppress_health_check=[HealthCheck.too_slow])

def noted(x):
    with open("seen.txt", "a") as file:
        print(x, file=file)

@settings(max_examples=7, derandomize={derandomize})
@given(st.integers(0, 10**12))
def test_decorated(x): noted(x)

@LENIENT
@given(st.integers(0, 10**12))
def test_shared(x): noted(x)

class TestMethods:
    @settings(max_examples=7)
    @given(st.integers(0, 10**12))
    def test_method(self, x): noted(x)
"""


def examples(folder: Path, profile: str, derandomize: bool) -> list[str]:
    folder.mkdir()
    (folder / "conftest.py").write_text(CONFTEST.read_text())
    (folder / "test_it.py").write_text(TEST.format(derandomize=derandomize))
    subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "."],
        cwd=folder, env={**os.environ, "TRAINDX_HYPOTHESIS": profile}, check=True, capture_output=True,
    )  # fmt: skip
    return (folder / "seen.txt").read_text().split()


@pytest.mark.parametrize("derandomize", [True, False])
def test_each_profile_holds_for_every_test(tmp_path: Path, derandomize: bool) -> None:
    first, again = (examples(tmp_path / name, "", derandomize) for name in ("a", "b"))
    assert first == again and len(first) == 21
    new, newer = (examples(tmp_path / name, "new", derandomize) for name in ("c", "d"))
    assert new != newer and len(new) > 200
