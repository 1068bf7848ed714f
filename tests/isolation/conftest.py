"""Isolation is tried in each mode, as root and as an ordinary user."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from attacks import FILES, TORCH, folder_of
from precious import USER, WITHOUT, Attacker, Precious, as_ordinary_user


@pytest.fixture
def precious() -> Iterator[Precious]:
    """Not below pytest's own folder: every session closes that to other users."""
    folder = Path(tempfile.mkdtemp(prefix="precious-"))
    folder.chmod(0o755)
    made = Precious(folder)
    for name in (*FILES, *TORCH):
        made.project(folder_of(name))
    yield made
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(params=["root", "ordinary user"])
def user(request: pytest.FixtureRequest) -> Iterator[Callable[[Path], list[str]]]:
    """What to put before a command to run it as this user; the folder is given to them."""
    ordinary = request.param == "ordinary user"
    if os.geteuid() != 0:
        if not ordinary:
            pytest.skip("the tests do not run as root")
        yield lambda folder: []
        return
    if ordinary and not shutil.which("setpriv"):
        pytest.skip("no setpriv here")

    def given(folder: Path) -> list[str]:
        if not ordinary:
            return []
        for path in (folder, *folder.rglob("*")):
            os.chown(path, USER, USER, follow_symlinks=False)
        return as_ordinary_user()

    yield given


@pytest.fixture(params=["kernel", "python"])
def attack(request: pytest.FixtureRequest, precious: Precious, user: Callable[[Path], list[str]]) -> Attacker:
    if WITHOUT[request.param]:
        pytest.skip(WITHOUT[request.param])
    return Attacker(precious, request.param, user(precious.root))
