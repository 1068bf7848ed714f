"""Files that the tests put into the allowed folder, and what an answer says."""

from __future__ import annotations

import csv
import math
from pathlib import Path
from typing import Any


def write_overfitting_log(path: Path, rows: int = 200) -> Path:
    """Validation turns upwards at step 80 while the training loss falls on."""
    with path.open("w", newline="") as file:
        table = csv.writer(file)
        table.writerow(["step", "loss", "val_loss"])
        for i in range(rows):
            loss = 2.3 * math.exp(-i / 40) + 0.1
            table.writerow([i, loss, loss + 0.01 * max(0, i - 80)])
    return path


def said(result: Any) -> str:
    """The text of a refusal."""
    assert result.is_error
    return str(result.content[0].text)
