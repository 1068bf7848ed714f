"""A patch keeps a file's encoding, its byte-order mark and its line ends, whatever applies it."""

from __future__ import annotations

import codecs
import subprocess
import sys
from pathlib import Path

import pytest

from traindx.edits import Edits, Project
from traindx.edits.applying import ApplyError, apply, changes_of
from traindx.source_text import decoded, encoded

TEXT = """\
# {declared}
name = 'Zoë £'
lr = 5.0
opt = SGD(net, lr=lr)


x = 1
y = 2
z = 3
for b in c:
    opt.step()
"""
FILES = {
    "UTF-8": TEXT.encode(),
    "UTF-8 with a mark": codecs.BOM_UTF8 + TEXT.encode(),
    "UTF-8 with a mark that says so": codecs.BOM_UTF8 + TEXT.format(declared="-*- coding: utf-8 -*-").encode(),
    "Latin-1": TEXT.format(declared="coding: latin-1").encode("latin-1"),
    "Latin-1 in the second line": b"#!/bin/python\n" + TEXT.format(declared="vim: encoding=latin-1").encode("latin-1"),
    "Windows": TEXT.format(declared="coding=cp1252").encode("cp1252").replace(b"\n", b"\r\n"),
    "mark and carriage returns": codecs.BOM_UTF8 + TEXT.encode().replace(b"\n", b"\r\n"),
    "Shift JIS": TEXT.format(declared="coding: shift_jis").replace("Zoë £", "日本語").encode("shift_jis"),
}  # fmt: skip


def patch_of(folder: Path, raw: bytes, old: str = "5.0", new: str = "0.1") -> str | None:
    (folder / "train.py").write_bytes(raw)
    project = Project(folder / "train.py", [], [], folder)
    assert project.sources, "the file was not read"
    source = project.sources[0]
    at = source.text.index(old)
    edits = Edits(project)
    edits.splice(source, at, at + len(old), new)
    return edits.patch()


@pytest.mark.parametrize("raw", FILES.values(), ids=FILES)
@pytest.mark.parametrize("old", ["lr = 5.0", "opt.step()", "name ="])
def test_only_the_changed_bytes_change(tmp_path: Path, raw: bytes, old: str) -> None:
    new = old.replace("5.0", "0.1").replace("()", "(None)").replace("name", "named")
    patch = patch_of(tmp_path, raw, old, new)
    assert patch is not None
    apply(changes_of(patch, tmp_path))
    assert (tmp_path / "train.py").read_bytes() == raw.replace(old.encode(), new.encode())


@pytest.mark.parametrize("raw", FILES.values(), ids=FILES)
@pytest.mark.parametrize("old", ["lr = 5.0", "opt.step()"])
@pytest.mark.parametrize("tool", [["patch", "-p1", "--fuzz=0", "-s", "--binary"], ["git", "apply", "-"]])
def test_other_tools_apply_it(tmp_path: Path, raw: bytes, old: str, tool: list[str]) -> None:
    patch = patch_of(tmp_path, raw, old, "lr = 1")
    assert patch is not None and "\ufeff" not in patch
    # The patch is text; what a tool is given is in the encoding of the file.
    given = patch.encode(sys_encoding(raw))
    subprocess.run(tool, cwd=tmp_path, input=given, check=True, capture_output=True)
    assert (tmp_path / "train.py").read_bytes() == raw.replace(old.encode(), b"lr = 1")


def sys_encoding(raw: bytes) -> str:
    found = [name for name in ("latin-1", "cp1252", "shift_jis") if name.encode() in raw]
    return found[0] if found else "utf-8"


def test_a_change_of_the_first_line_keeps_the_mark(tmp_path: Path) -> None:
    raw = codecs.BOM_UTF8 + b"lr = 5.0\nprint(lr)\n"
    patch = patch_of(tmp_path, raw)
    assert patch is not None
    apply(changes_of(patch, tmp_path))
    assert (tmp_path / "train.py").read_bytes() == codecs.BOM_UTF8 + b"lr = 0.1\nprint(lr)\n"


def test_no_text_that_the_encoding_cannot_write(tmp_path: Path) -> None:
    raw = b"# coding: latin-1\nname = '\xe9'\n"
    assert patch_of(tmp_path, raw, "name", "名") is None
    patch = "--- a/train.py\n+++ b/train.py\n@@ -2 +2 @@\n-name = '\xe9'\n+name = '名'\n"
    with pytest.raises(ApplyError, match="encoding"):
        changes_of(patch, tmp_path)
    assert (tmp_path / "train.py").read_bytes() == raw


@pytest.mark.parametrize(
    "raw",
    [
        b"x = '\xe9'\n",  # not UTF-8, and nothing declared
        b"# coding: nothing-of-that-name\nx = 1\n",
        codecs.BOM_UTF8 + b"# coding: latin-1\nx = 1\n",
        "x = 1\n".encode("utf-16"),
    ],
)
def test_what_python_does_not_read_is_not_patched(tmp_path: Path, raw: bytes) -> None:
    (tmp_path / "train.py").write_bytes(raw)
    assert (
        subprocess.run([sys.executable, str(tmp_path / "train.py")], capture_output=True, check=False).returncode == 1
    )
    assert not Project(tmp_path / "train.py", [], [], tmp_path).sources


@pytest.mark.parametrize("raw", FILES.values(), ids=FILES)
def test_the_text_declares_its_own_encoding(raw: bytes) -> None:
    assert encoded(decoded(raw)) == raw
