"""The session that the README shows and the handbook begins with: `python tests/docs/example_session.py` renews it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
README = ROOT / "README.md"
SCRIPT = ROOT / "examples" / "sick_digits.py"
SHOWN = re.compile(r"(?<=<!-- output:begin -->\n).*?(?=<!-- output:end -->)", re.DOTALL)
BEFORE = "`traindx run sick_digits.py` in the folder `examples` prints, after the script's own output:"
# The other sections depend on which steps were measured. The charts depend on the processor: not compared, but shown.
SECTIONS = ("traindx:", "SICK", "LOSS", "VAL LOSS", "FIX", "VERIFY", "AVOID", "CAUSE", "NEXT")
CHARTS = ("LOSS", "VAL LOSS")


def session() -> str:
    """What `traindx run` says about the example. The record's name, which holds the time, is shortened."""
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(SCRIPT, folder)
        words = [sys.executable, "-m", "traindx", "run", SCRIPT.name]
        environment = {**os.environ, "COLUMNS": "80", "NO_COLOR": "1"}
        done = subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stderr
    named = re.sub(r"sick_digits-[\d-]+\.tdx", "sick_digits-….tdx", done.stderr)
    kept = [text if text.startswith(SECTIONS) else "…\n\n" for text in sections(named)]
    told = re.sub(r"(…\n\n)+", "…\n\n", "".join(kept)).strip()
    return f"{BEFORE}\n\n```\n{told}\n```\n"


def sections(text: str) -> list[str]:
    """Each begins with its name at the left edge."""
    return re.split(r"^(?=[A-Z]|traindx:)", text, flags=re.MULTILINE)[1:]


def compared(text: str) -> list[str]:
    """The words of what is the same on every machine, without the values that depend on the steps measured."""
    told = [one for one in sections(text) if one.startswith(SECTIONS) and not one.startswith(CHARTS)]
    words = [" ".join(one.replace("…\n", "").replace("```", "").split()) for one in told]
    return [re.sub(r"values from \S+ to \S+", "values", one) for one in words]


def shown() -> str:
    found = SHOWN.search(README.read_text(encoding="utf-8"))
    assert found
    return found[0]


if __name__ == "__main__":
    README.write_text(README.read_text(encoding="utf-8").replace(shown(), session()), encoding="utf-8")
