"""`traindx plot`: every chart in every format, on runs that the tests make."""

from __future__ import annotations

import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("matplotlib")
sys.path.insert(0, str(Path(__file__).parents[1] / "comparison"))
from made_runs import STEPS, losses, write_csv

from traindx.record import Run, RunBuilder, Series
from traindx.reports.plots import Still, all_stills, chart_names, charts_for, draw, subjects_of


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


@pytest.mark.parametrize(
    ("chart", "words"), [("loss", "NaN from step 320"), ("generalisation", "Training loss NaN from")]
)
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
    assert [chart.title for chart in charts_for([log])] == ["Loss"]
    assert len(charts_for([full_run("a"), full_run("b")])) == len(chart_names())


def test_the_loss_of_one_run_is_drawn_once() -> None:
    titles = [chart.title for chart in charts_for([full_run()])]
    assert titles == ["Loss", "Learning rate", "Gradient norm", "Gradient flow by layer", "Activation health"]
    assert [chart.title for chart in charts_for([full_run()], ["generalisation"])] == [
        "Training against validation loss"
    ]


@pytest.mark.parametrize(("suffix", "start"), [("png", b"\x89PNG"), ("svg", b"<?xml"), ("html", b"<!doctype html>")])
def test_the_suffix_chooses_the_format(suffix: str, start: bytes, tmp_path: Path, traindx_: Any) -> None:
    log, out = write_csv(tmp_path / "a.csv", 0.5, broken=True), tmp_path / f"loss.{suffix}"
    told = traindx_("plot", log, "-o", out)
    assert (told.code, told.out, told.err) == (0, "", "")
    assert out.read_bytes().startswith(start)


def test_the_page_is_the_one_that_report_writes(tmp_path: Path, traindx_: Any) -> None:
    log = write_csv(tmp_path / "a.csv", 0.5)
    traindx_("plot", log, "-o", tmp_path / "p.html")
    traindx_("report", log, "-o", tmp_path / "r.html")
    assert (tmp_path / "p.html").read_text(encoding="utf-8") == (tmp_path / "r.html").read_text(encoding="utf-8")
    refused = traindx_("plot", log, "-o", tmp_path / "p.html", "--chart", "loss")
    assert refused.code == 2 and "--chart goes with PNG" in refused.err


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


def test_names_of_many_runs_stand_once_above_the_charts() -> None:
    runs = [full_run(f"run_{i:02d}", broken=False) for i in range(12)]
    subjects = subjects_of(runs, [Path(run.source).stem for run in runs])
    assert len({(subject.colour, str(subject.stroke)) for subject in subjects}) == 12
    import matplotlib as mpl

    with mpl.rc_context({"svg.fonttype": "none"}):
        page = draw(subjects, charts_for(runs), "svg").decode()
    assert [page.count(f"run_{i:02d}") for i in range(12)] == [1] * 12


def test_more_runs_than_names_fit_says_how_many() -> None:
    runs = [full_run(f"run_{i:02d}", broken=False) for i in range(30)]
    assert "and 6 more" in svg_of(runs, "loss")


def all_charts_of(*runs: Run) -> str:
    import matplotlib as mpl

    with mpl.rc_context({"svg.fonttype": "none"}):
        return draw(subjects_of(runs, [run.source for run in runs]), charts_for(runs, None), "svg").decode()


def test_a_chart_of_one_run_among_several_says_whose_it_is() -> None:
    plain = RunBuilder("plain", "text").series("loss/train", STEPS, losses(0.5, 2)).build()
    page = all_charts_of(full_run("rich"), plain)
    assert "Gradient norm (made/rich.tdx only)" in page
    assert "Loss (" not in page


def test_a_page_of_several_runs_explains_what_it_draws() -> None:
    alone, together = all_charts_of(full_run("a")), all_charts_of(full_run("a"), full_run("b"))
    assert "shaded" in alone and "shaded" not in together
    assert "learning rate jumps" in alone and "learning rate jumps" not in together


def test_a_level_line_has_plain_ticks() -> None:
    norm = 1.2 + 1e-13 * np.sin(STEPS)
    run = RunBuilder("level", "text").series("loss/train", STEPS, losses(0.5, 2)).series("grad_norm", STEPS, norm)
    axes = drawn_axes("gradient-norm", run.build())
    assert axes.yaxis.get_offset_text().get_text() == ""
    low, high = axes.get_ylim()
    assert low < 1.15 and high > 1.25


def still(name: str) -> Still:
    return next(one for one in all_stills() if one.name == name)


def drawn_axes(chart: str, run: Run, diagnosed: bool = False) -> Any:
    from matplotlib.figure import Figure

    figure = Figure()
    axes, side = figure.subplots(1, 2)
    still(chart).draw(axes, side, subjects_of([run], ["run"], run.diagnose() if diagnosed else None))
    figure.canvas.draw()
    return axes


def test_a_spike_is_inside_the_chart_and_marked() -> None:
    values = losses(0.5, 3)
    values[70] = 4000.0
    axes = drawn_axes("loss", RunBuilder("spiky", "csv").series("loss/train", STEPS, values).build(), diagnosed=True)
    assert axes.get_ylim()[1] > 4000
    dots = [line for line in axes.lines if line.get_marker() == "o" and STEPS[70] in line.get_xdata()]
    assert dots and dots[0].get_ydata()[list(dots[0].get_xdata()).index(STEPS[70])] == 4000.0
    # The smoothed line, which people read, does not make a plateau of one point.
    smooth = next(line for line in axes.lines if line.get_linewidth() == 1.7)
    assert max(smooth.get_ydata()) < 2 * max(losses(0.5, 3))


def test_looks_far_apart_are_not_joined() -> None:
    looks = np.array([0, 1, 2, 3, 4, 900, 901, 902, 903])
    run = (
        RunBuilder("sparse", "observed")
        .series("loss/train", np.arange(1000), np.linspace(2, 1, 1000))
        .series("grad_norm", looks, np.linspace(5, 1, 9))
        .build()
    )
    axes = drawn_axes("gradient-norm", run)
    drawn = [line.get_xdata() for line in axes.lines if len(line.get_xdata())]
    assert sorted(int(step) for steps in drawn for step in steps) == looks.tolist()
    assert all(np.ptp(steps) < 10 for steps in drawn)


def test_both_norms_of_a_clipped_run_are_drawn() -> None:
    before = np.linspace(20, 0.5, len(STEPS))
    run = (
        RunBuilder("clipped", "observed")
        .series("loss/train", STEPS, losses(0.5, 4))
        .series("grad_norm", STEPS, np.minimum(before, 1.0))
        .series("clip/norm", STEPS, before)
        .series("clip/threshold", STEPS, np.ones(len(STEPS)))
        .build()
    )
    axes = drawn_axes("gradient-norm", run)
    labels = [text.get_text() for text in axes.get_legend().get_texts()]
    assert labels == ["Norm before clipping", "Gradient norm", "Clipping threshold"]
    highest = {line.get_label(): max(line.get_ydata()) for line in axes.lines if len(line.get_ydata())}
    assert highest["Norm before clipping"] > 15 and highest["Gradient norm"] == pytest.approx(1.0)


def test_clipping_calls_of_quick_steps_are_spread_over_their_steps() -> None:
    from traindx.reports.plots._stills import spread

    steps, norms = [0, 1, 1, 1, 4, 5, 5], np.arange(7.0)
    assert spread(Series("clip/norm", np.array(steps), norms)).steps.tolist() == list(range(7))
    twice = np.array([0, 0, 1, 1])
    assert spread(Series("clip/norm", twice, np.arange(4.0))).steps.tolist() == twice.tolist()


def test_the_learning_rate_goes_on_to_the_end_of_the_run() -> None:
    run = (
        RunBuilder("thinned", "observed")
        .series("loss/train", np.arange(1000), np.linspace(2, 1, 1000))
        .series("lr", [0, 300, 700], [0.1, 0.1, 0.01])
        .build()
    )
    axes = drawn_axes("learning-rate", run)
    line = next(line for line in axes.lines if len(line.get_xdata()) > 2)
    assert line.get_xdata()[-1] == 999 and line.get_ydata()[-1] == 0.01


@pytest.mark.parametrize(("looks", "sparse"), [([0, 1, 2, 950, 951], True), (list(range(0, 1000, 20)), False)])
def test_a_map_of_few_looks_is_not_grey(looks: list[int], sparse: bool) -> None:
    layers = [f"layer{i}.weight" for i in range(4)]
    run = (
        RunBuilder("looks", "observed")
        .series("loss/train", np.arange(1000), np.linspace(2, 1, 1000))
        .layers("grad_rms", looks, layers, np.full((len(looks), 4), 0.1))
        .build()
    )
    axes = drawn_axes("gradient-flow", run)
    mesh = axes.collections[0]
    edges = mesh.get_coordinates()[0, :, 0]
    known = ~np.ma.getmaskarray(mesh.get_array()).all(axis=0)
    low, high = axes.get_xlim()
    assert np.diff(edges)[known].sum() > 0.75 * (high - low)
    assert ("not to scale" in axes.get_xlabel()) == sparse


@pytest.mark.parametrize("count", [3, 40, 120])
def test_names_of_layers_do_not_collide(count: int) -> None:
    layers = [f"encoder.layers.{i}.attention.output_projection.weight" for i in range(count)]
    run = (
        RunBuilder("deep", "observed")
        .series("loss/train", np.arange(100), np.linspace(2, 1, 100))
        .layers("grad_rms", np.arange(100), layers, np.full((100, count), 0.1))
        .build()
    )
    from matplotlib.figure import Figure

    subjects = subjects_of([run], ["deep"])
    height = still("gradient-flow").height
    assert callable(height)
    figure = Figure(figsize=(9.5, height(run)), layout="constrained")
    axes, side = figure.subplots(1, 2)
    still("gradient-flow").draw(axes, side, subjects)
    figure.canvas.draw()
    boxes = [label.get_window_extent() for label in axes.get_yticklabels() if label.get_text()]
    names = [label.get_text() for label in axes.get_yticklabels() if label.get_text()]
    assert len(set(names)) == len(names) >= min(count, 20)
    ordered = sorted(boxes, key=lambda box: float(box.y0))
    assert all(below.y1 <= above.y0 + 1.0 for below, above in pairwise(ordered))


def test_ticks_of_a_log_scale_are_numbers() -> None:
    wide = RunBuilder("wide.csv", "csv").series("loss/train", STEPS, 10.0 ** (-STEPS / 100)).build()
    drawn = svg_of([wide], "loss")
    assert "mathdefault" not in drawn and ">0.01<" in drawn


def test_the_losses_of_two_networks_are_both_drawn() -> None:
    optimizers = [{"class": "Adam", "groups": []}, {"class": "Adam", "groups": []}]
    run = (
        RunBuilder("gan", "observed")
        .series("loss/train", STEPS, losses(0.5, 1))
        .series("loss/train/0", STEPS, losses(0.5, 1))
        .series("loss/train/1", STEPS, losses(1.5, 2))
        .fact("optimizers", optimizers)
        .fact("backward_sites", [{"site": {"file": "gan.py", "line": 12}}, {"site": {"file": "gan.py", "line": 20}}])
        .build()
    )
    labels = [text.get_text() for text in drawn_axes("loss", run).get_legend().get_texts()]
    assert labels == ["Training loss, line 12", "Training loss, line 20"]


def test_a_million_points_keep_their_spike() -> None:
    from traindx.reports._charts import extremes
    from traindx.reports.plots._axes import MOST_POINTS

    values = np.sin(np.arange(1_000_000) / 1000)
    values[777_777] = 50.0
    kept = extremes(values, MOST_POINTS)
    assert len(kept) <= 2 * MOST_POINTS + 2 and values[kept].max() == 50.0
