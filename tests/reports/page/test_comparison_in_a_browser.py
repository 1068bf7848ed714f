"""The page of a comparison in a real browser: nothing stands outside a narrow screen, and every number has its name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from traindx.comparison import compare
from traindx.comparison.outcome import outcome_of
from traindx.record import Run, RunBuilder
from traindx.reports.comparison import render


def one_of_many(rate: float) -> Run:
    steps = np.arange(60)
    builder = RunBuilder(f"runs/a-rather-long-name-{rate:g}/metrics.csv", "csv")
    builder.fact("log", {"config": {"lr": rate, "warmup_steps": int(1 / rate)}, "step_unit": "step", "columns": {}})
    return builder.series("loss/train", steps, 0.2 + 2 * np.exp(-steps * rate)).build()


def test_a_comparison_fits_a_narrow_screen(view: Any, tmp_path: Path) -> None:
    runs = [outcome_of(one_of_many(rate)) for rate in np.geomspace(0.01, 1, 9)]
    file = tmp_path / "compared.html"
    file.write_text(render(compare(runs), "html"), encoding="utf-8")
    view.size(400)
    view.driver.get(file.as_uri())
    assert view.js("return document.documentElement.scrollWidth") <= 400
    cells = view.js("return [...document.querySelectorAll('#runs tbody tr')].map(r => [...r.cells].length)")
    assert len(cells) == 9 and min(cells) > 6
    outside = view.js(
        "return [...document.querySelectorAll('#runs td, #runs th')]"
        ".filter(cell => cell.getBoundingClientRect().right > 400).length"
    )
    assert outside == 0
    named = view.js("return [...document.querySelector('#runs tbody tr').cells].map(c => c.dataset.heading)")
    assert {"run", "best", "final", "diagnosis"} <= set(named)
    view.size(1280)
    shown = "return getComputedStyle(document.querySelector('#runs thead')).display"
    assert view.js(shown) == "table-header-group"
