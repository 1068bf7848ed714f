"""`traindx plot`: every chart in every format, on runs that the tests make."""

from __future__ import annotations

import base64
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("matplotlib")
sys.path.insert(0, str(Path(__file__).parents[1] / "comparison"))
from made_runs import STEPS, losses, write_csv

from traindx.record import Run, RunBuilder
from traindx.reports.plots import chart_names, charts_for, draw, subjects_of


def full_run(name: str = "full", broken: bool = True) -> Run:
    """One with everything that a chart may draw, and NaN at the end."""
    values = losses(0.5, 1)
    if broken:
        values[80:] = np.nan
    layers = [f"block.{i}.weight" for i in range(5)]
    table = np.full((20, 5), 0.01)
    table[3, 2], table[-1, 1] = 0.0, np.inf
    return (
        RunBuilder(f"made/{name}.tdx", "observed")
        .series("loss/train", STEPS, values)
        .series("loss/validation", STEPS[9::10], values[9::10] + 0.2)
        .series("lr", STEPS, np.where(STEPS < 200, 0.1, 0.01))
        .series("grad_norm", STEPS, np.exp(np.sin(STEPS)))
        .series("clip/threshold", STEPS[:5], np.ones(5))
        .layers("grad_rms", STEPS[:20], layers, table)
        .layers("act_dead", STEPS[:20], ["relu"], np.full((20, 1), 0.4))
        .layers("act_saturated", STEPS[:20:2], ["tanh"], np.full((10, 1), 0.1))
        .build()
    )


def svg_of(runs: list[Run], chart: str) -> str:
    """The chart with its text as text, so that words can be looked for."""
    import matplotlib as mpl

    with mpl.rc_context({"svg.fonttype": "none"}):
        subjects = subjects_of(runs, [Path(run.source).stem for run in runs])
        return draw(subjects, charts_for(runs, [chart]), "svg").decode()


@pytest.mark.parametrize("name", chart_names())
def test_each_chart_draws_one_run_and_several(name: str) -> None:
    assert "<svg" in svg_of([full_run()], name)
    several = svg_of([full_run("first"), full_run("second", broken=False)], name)
    assert "first" in several and "second" in several


@pytest.mark.parametrize(("chart", "words"), [("loss", "NaN from step 320"), ("generalisation", "training NaN from")])
def test_nan_is_drawn(chart: str, words: str) -> None:
    assert words in svg_of([full_run()], chart)
    assert "NaN" not in svg_of([full_run(broken=False)], chart)


def test_a_loss_over_decades_gets_a_log_scale() -> None:
    wide = RunBuilder("wide.csv", "csv").series("loss/train", STEPS, 10.0 ** (-STEPS / 100)).build()
    assert "log scale" in svg_of([wide], "loss")
    assert "log scale" not in svg_of([full_run(broken=False)], "loss")


@pytest.mark.parametrize(
    "values", [[np.nan] * 5, [np.inf, -np.inf], [1.0], [0.0] * 40, [-1.0, 1e30, 0.0] * 20, [2.0] * 50]
)
def test_odd_values_are_drawn_all_the_same(values: list[float]) -> None:
    run = RunBuilder("odd.csv", "csv").series("loss/train", np.arange(len(values)), values).build()
    assert "<svg" in svg_of([run], "loss")


def test_a_run_has_the_charts_that_its_data_allow() -> None:
    log = RunBuilder("log.csv", "csv").series("loss/train", STEPS, losses(1.0, 0)).build()
    assert [chart.TITLE for chart in charts_for([log])] == ["Training loss"]
    assert len(charts_for([full_run()])) == len(chart_names())


@pytest.mark.parametrize(("suffix", "start"), [("png", b"\x89PNG"), ("svg", b"<?xml"), ("html", b"<!doctype html>")])
def test_the_suffix_chooses_the_format(suffix: str, start: bytes, tmp_path: Path, traindx_: Any) -> None:
    log, out = write_csv(tmp_path / "a.csv", 0.5, broken=True), tmp_path / f"loss.{suffix}"
    told = traindx_("plot", log, "-o", out)
    assert (told.code, told.out, told.err) == (0, "", "")
    assert out.read_bytes().startswith(start)


def test_the_page_holds_its_pictures(tmp_path: Path, traindx_: Any) -> None:
    traindx_("plot", write_csv(tmp_path / "a.csv", 0.5), "-o", tmp_path / "p.html")
    page = (tmp_path / "p.html").read_text(encoding="utf-8")
    assert not re.search(r'(src|href)="http', page)
    [picture] = re.findall(r"data:image/svg\+xml;base64,([^\"]+)", page)
    assert b"<svg" in base64.b64decode(picture)


def test_a_folder_is_drawn_over_each_other(tmp_path: Path, traindx_: Any) -> None:
    for i in range(3):
        write_csv(tmp_path / f"runs/{i}.csv", 0.5 + i, i)
    assert traindx_("plot", tmp_path / "runs", "-o", tmp_path / "p.svg", "--chart", "loss").code == 0


@pytest.mark.parametrize(
    "words",
    [
        ("absent.csv", "-o", "p.png"),
        ("a.csv", "-o", "p.docx"),
        ("a.csv",),
        ("a.csv", "-o", "p.png", "--chart", "nonsense"),
        ("a.csv", "-o", "p.png", "--chart", "gradient-flow"),
        ("a.csv", "-o", "no/such/p.png"),
    ],
)
def test_bad_input_is_one_clear_line(
    words: tuple[str, ...], tmp_path: Path, traindx_: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write_csv(tmp_path / "a.csv", 0.5)
    told = traindx_("plot", *words)
    assert told.code == 2
    assert told.err.count("\n") == 1 and told.err.startswith("traindx plot: ")


def test_without_matplotlib_one_line_says_what_to_install(
    tmp_path: Path, traindx_: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    told = traindx_("plot", write_csv(tmp_path / "a.csv", 0.5), "-o", tmp_path / "p.png")
    assert told.code == 2
    assert told.err == "traindx plot: drawing needs matplotlib: pip install 'traindx[plot]'\n"


def test_a_folder_says_what_was_skipped_and_why(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from traindx.__main__ import main

    write_csv(tmp_path / "runs" / "a.csv", 0.5)
    (tmp_path / "runs" / "no_loss.jsonl").write_text('{"step": 1, "percentage": 5}\n{"step": 2, "percentage": 6}\n')
    (tmp_path / "runs" / "notes.txt").write_text("iter 1: loss 2.0\niter 2: loss 1.5\n")
    assert main(["plot", str(tmp_path / "runs"), "-o", str(tmp_path / "x.svg")]) == 0
    said = capsys.readouterr().err
    assert "no_loss.jsonl holds no loss" in said
    assert "notes.txt" in said and "name the files to include them" in said


def test_a_folder_of_text_logs_is_drawn(tmp_path: Path) -> None:
    from traindx.__main__ import main

    (tmp_path / "runs").mkdir()
    for name in ("a", "b"):
        lines = "".join(f"iter {s}: loss {2 - s / 100}\n" for s in range(50))
        (tmp_path / "runs" / f"{name}.txt").write_text(lines)
    assert main(["plot", str(tmp_path / "runs"), "-o", str(tmp_path / "x.svg")]) == 0
    assert (tmp_path / "x.svg").stat().st_size > 0


def test_many_names_stand_beside_the_curves(tmp_path: Path) -> None:
    runs = [full_run(f"a_folder_with_a_long_name_{i}/{i:040d}/metrics", broken=False) for i in range(12)]
    drawn = svg_of(runs, "loss")
    assert "the first 10 of 12" in drawn and "…" in drawn


def html_of(*runs: Run) -> str:
    subjects = subjects_of(runs, [run.source for run in runs])
    return draw(subjects, charts_for(runs, None), "html").decode()


def test_a_chart_of_one_run_among_several_says_whose_it_is() -> None:
    plain = RunBuilder("plain", "text").series("loss/train", STEPS, losses(0.5, 2)).build()
    page = html_of(full_run("rich"), plain)
    assert "Gradient norm (made/rich.tdx only)" in page
    assert "Training loss (" not in page


def test_a_page_of_several_runs_explains_what_it_draws() -> None:
    alone, together = html_of(full_run("a")), html_of(full_run("a"), full_run("b"))
    assert "Shaded" in alone and "Shaded" not in together
    assert "learning rate jumps" in alone and "learning rate jumps" not in together


def test_a_level_line_has_plain_ticks() -> None:
    from matplotlib.figure import Figure

    from traindx.reports.plots import gradient_norm

    norm = 1.2 + 1e-13 * np.sin(STEPS)
    run = RunBuilder("level", "text").series("loss/train", STEPS, losses(0.5, 2)).series("grad_norm", STEPS, norm)
    figure = Figure()
    gradient_norm.draw(figure, subjects_of([run.build()], ["level"]))
    figure.canvas.draw()
    [axes] = figure.axes
    assert axes.yaxis.get_offset_text().get_text() == ""
    low, high = axes.get_ylim()
    assert low < 1.15 and high > 1.25
