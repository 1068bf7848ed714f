"""A sign and a cause from another package appear everywhere, with no file of ours changed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

SIGN = '''
from traindx.signs import Measured, sign
from traindx.signs.checks import Check


@sign("moon-full", "What does the moon do?", "fault", core=True, proof="The sky.", check=Check("moon", "data"))
def moon_full(run):
    """How often the moon was full."""
    return Measured(1.0, "The moon was full during all 400 steps.")
'''

CAUSE = '''
"""Training under a full moon.

## What happens
Everything shines.
"""
from traindx.causes import Fix

ID = "full-moon"
FAMILY = "astronomy"
TITLE = "Trained under a full moon"
MEANS = "The moon was full."
FOR = {"moon-full": 8.0}
REQUIRES = ("moon-full",)
AVOID = ("Do not howl.",)
VERIFY = "The moon has waned."
REFERENCE = "Almanac"


def fix(run, signs):
    return Fix("Wait a fortnight.", "time.sleep(14 * 86400)")
'''

ASK = """
import json
import numpy as np
import traindx
from traindx.record import RunBuilder
from traindx.reports import render

loss = 0.05 + 2.2 * np.exp(-np.arange(400) / 40)
run = RunBuilder("run.tdx", "observed").series("loss/train", np.arange(400), loss)
run = run.fact("steps", 400).fact("backwards", 400).fact("exit", "ok").build()
from traindx.diagnosis import diagnose

found = diagnose(run)
print(render(found, "text"))
print(json.loads(render(found, "json"))["hypotheses"][0]["cause"])
"""


def installed(folder: Path) -> dict[str, str]:
    """A package with entry points in `folder`, as pip would leave it, and an environment that finds it."""
    package = folder / "moonsigns"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "sign.py").write_text(SIGN)
    (package / "cause.py").write_text(CAUSE)
    info = folder / "moonsigns-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: moonsigns\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[traindx.signs]\nmoon = moonsigns.sign\n[traindx.causes]\nmoon = moonsigns.cause\n"
    )
    path = os.pathsep.join([str(folder), *filter(None, [os.environ.get("PYTHONPATH")])])
    return {**os.environ, "PYTHONPATH": path, "COLUMNS": "100"}


def ask(folder: Path, *words: str) -> str:
    done = subprocess.run(
        [sys.executable, *words], env=installed(folder), capture_output=True, text=True, cwd=folder, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_text_and_json_name_the_new_cause(tmp_path: Path) -> None:
    said = ask(tmp_path, "-c", ASK)
    assert "Trained under a full moon" in said and "the moon was full during all 400 steps." in said.lower()
    assert said.strip().splitlines()[-1] == "full-moon"


def test_explain_shows_its_page(tmp_path: Path) -> None:
    assert "Everything shines." in ask(tmp_path, "-m", "traindx", "explain", "full-moon")


def test_explain_shows_the_sign(tmp_path: Path) -> None:
    said = ask(tmp_path, "-m", "traindx", "explain", "moon-full")
    assert "How often the moon was full." in said and "full-moon" in said and "The sky." in said


def test_check_asks_it(tmp_path: Path) -> None:
    ask_checks = (
        "from traindx.signs import all_signs; from traindx.diagnosis.checks.from_signs import answers_of_signs;"
        "from traindx.signs import measure_all; from traindx.record import RunBuilder;"
        "run = RunBuilder('r', 'observed').build();"
        "print([a.status for a in answers_of_signs(measure_all(run)) if a.id == 'moon'])"
    )
    assert ask(tmp_path, "-c", ask_checks).strip() == "['failed']"
