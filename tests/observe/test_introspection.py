"""What a program can find out about its own process is the same under `traindx run`."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import traindx
from traindx.record import load

PROGRAM = str(Path(__file__).parent / "introspection.py")


def said(folder, *words):
    environment = os.environ | {"PYTHONPATH": str(Path(traindx.__file__).parents[1]), "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, *words], cwd=folder, env=environment, text=True, capture_output=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_program_finds_nothing_of_us(tmp_path):
    """It also waits until no other thread is left, as some scripts do at their end."""
    record = tmp_path / "run.tdx"
    bare = said(tmp_path, PROGRAM)
    observed = said(tmp_path, "-m", "traindx", "run", "--no-diagnosis", "--out", str(record), PROGRAM)
    assert len(bare) > 80
    assert [pair for pair in zip(bare, observed, strict=True) if pair[0] != pair[1]] == []
    run = load(record)
    assert run.steps == 600 and "observers_off" not in run.facts


def test_no_library_is_imported_before_the_script_does_it(tmp_path):
    """A script may set what they read when they are imported, such as OMP_NUM_THREADS."""
    script = tmp_path / "train.py"
    script.write_text(
        "import sys\nprint(*(name for name in ('numpy', 'scipy', 'torch', 'polars') if name in sys.modules))"
    )
    assert said(tmp_path, "-m", "traindx", "run", "--no-diagnosis", "--out", "run.tdx", str(script)) == [""]
