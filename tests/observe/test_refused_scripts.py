"""What Python cannot compile behaves under `run` as under `python`: nothing runs, same words, same exit code."""

from __future__ import annotations

import codecs
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPTS = {
    "a bracket left open": b"import torch\nx = (1,\ny = 2\n",
    "indentation": b"if True:\nx = 1\n",
    "tabs": b"if 1:\n\tx = 1\n        y = 2\n",
    "await outside of a function": b"async def f(): pass\nawait f()\n",
    "a byte of Latin-1 in a comment": b"print(1)\n# \xe9\n",
    "a byte of Latin-1 far below": b"print(1)\n" * 3000 + b"# \xe9\n",
    "a byte of Latin-1 in a string": b"x = '\xe9'\n",
    "declared ASCII": b"# coding: ascii\n# \xe9\nprint(1)\n",
    "declared in the third line": b"#\n#\n# coding: latin-1\n# \xe9\nprint(1)\n",
    "an unknown encoding": b"# coding: nothing-of-that-name\nprint(1)\n",
    "an encoding that is none": b"# coding: hex\nprint(1)\n",
    "a mark and another encoding": codecs.BOM_UTF8 + b"# coding: latin-1\nprint(1)\n",
    "UTF-16": "print(1)\n".encode("utf-16"),
    "a null byte": b"print(1)\n\0",
    "too deep": b"x = " + b"(" * 300 + b")" * 300 + b"\n",
}


def ran(folder: Path, *words: str) -> tuple[int, bytes, bytes]:
    done = subprocess.run([sys.executable, *words], cwd=folder, capture_output=True, check=False)
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("content", SCRIPTS.values(), ids=SCRIPTS)
def test_as_under_python(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "train.py").write_bytes(content)
    bare = ran(tmp_path, "train.py")
    assert bare[0] == 1
    assert ran(tmp_path, "-m", "traindx", "run", "train.py") == bare
    assert not list(tmp_path.rglob("*.tdx"))


def test_a_module(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_bytes(SCRIPTS["indentation"])
    assert ran(tmp_path, "-m", "traindx", "run", "-m", "train") == ran(tmp_path, "-m", "train")


@pytest.mark.parametrize("verb", ["check", "lr", "treat"])
def test_other_verbs_say_so_in_one_line(tmp_path: Path, verb: str) -> None:
    (tmp_path / "train.py").write_bytes(SCRIPTS["a byte of Latin-1 in a comment"])
    code, out, err = ran(tmp_path, "-m", "traindx", verb, "train.py")
    assert (code, out) == (2, b"") and err.count(b"\n") == 1 and b"train.py: 'utf-8' codec can't decode" in err


def test_what_python_runs_is_run(tmp_path: Path) -> None:
    for name, content in {
        "declared": b"# coding: latin-1\nprint('\xe9'.encode('utf-8'))\n",
        "marked": codecs.BOM_UTF8 + b"print(1)\n",
        "utf7": b"# coding: utf-7\nprint(1)\n",
    }.items():
        (tmp_path / f"{name}.py").write_bytes(content)
        bare = ran(tmp_path, f"{name}.py")
        assert bare[0] == 0
        assert ran(tmp_path, "-m", "traindx", "run", "--no-diagnosis", f"{name}.py") == bare
