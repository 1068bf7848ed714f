"""A patch that this package made is applied to the letter, as `patch -p1` does."""

from __future__ import annotations

import random
import shutil
import subprocess
from pathlib import Path

import pytest

from traindx.edits import merged, patched_texts
from traindx.edits.diff import unified_diff


def changed(lines: list[str], stream: random.Random) -> list[str]:
    found = list(lines)
    for _ in range(stream.randint(1, 4)):
        at = stream.randrange(len(found) + 1)
        found[at : at + stream.randint(0, 2)] = [f"new {stream.random()}"] * stream.randint(0, 2)
    return found


@pytest.mark.parametrize("seed", range(30))
def test_the_patched_text_is_the_new_text(seed: int, tmp_path: Path) -> None:
    stream = random.Random(seed)
    end = stream.choice(["\n", ""])
    newline = stream.choice(["\n", "\r\n"])
    lines = [f"line {stream.randint(0, 5)}" for _ in range(stream.randint(1, 40))]
    old, new = newline.join(lines) + end, newline.join(changed(lines, stream)) + end
    patch = unified_diff(Path("train.py"), old, new)
    (tmp_path / "train.py").write_bytes(old.encode())
    if not patch:
        return
    assert patched_texts(patch, tmp_path) == {tmp_path / "train.py": new}
    if shutil.which("patch"):
        subprocess.run(["patch", "-p1", "-s", "--binary"], cwd=tmp_path, input=patch.encode(), check=True)
        assert (tmp_path / "train.py").read_bytes().decode() == new


def test_a_patch_that_does_not_fit_is_refused(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("something else\n")
    assert patched_texts(unified_diff(Path("train.py"), "a\n", "b\n"), tmp_path) is None
    assert patched_texts(unified_diff(Path("other.py"), "a\n", "b\n"), tmp_path) is None


def test_two_patches_become_one_unless_they_change_the_same_lines(tmp_path: Path) -> None:
    old = "".join(f"line {number}\n" for number in range(30))
    (tmp_path / "train.py").write_text(old)
    first = unified_diff(Path("train.py"), old, old.replace("line 3\n", "new 3\nand more\n"))
    second = unified_diff(Path("train.py"), old, old.replace("line 7\n", ""))
    both = merged([second, first], tmp_path)
    assert both is not None and "-line 20" not in both
    wanted = old.replace("line 3\n", "new 3\nand more\n").replace("line 7\n", "")
    assert patched_texts(both, tmp_path) == {tmp_path / "train.py": wanted}
    other = unified_diff(Path("train.py"), old, old.replace("line 3\n", "other 3\n"))
    assert merged([first, other], tmp_path) is None
