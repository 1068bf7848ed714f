"""`traindx compare` from the command line, on logs that the tests write."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "comparison"))
from made_runs import write_csv


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for rate, level in ((0.001, 0.3), (0.01, 0.8), (0.1, 1.5)):
        for seed in (1, 2, 3):
            write_csv(tmp_path / f"runs/lr{rate}_seed{seed}/metrics.csv", level, seed + int(1000 * rate))
    (tmp_path / "runs/README.txt").write_text("a loss of 3 percent, step 1 loss 2\n")
    return tmp_path / "runs"


def test_a_folder_expands_and_the_answer_comes_first(folder: Path, traindx_: Any) -> None:
    told = traindx_("compare", folder)
    assert told.code == 0
    assert told.out.split()[:3] == ["COMPARED", "9", "runs"]
    assert "lr very likely explains" in " ".join(told.out.split())
    assert max(map(len, told.out.splitlines())) <= 80


def test_json_holds_every_run(folder: Path, traindx_: Any) -> None:
    content = json.loads(traindx_("compare", folder, "--format", "json").out)
    assert content["schema"] == "traindx.comparison/1"
    assert len(content["runs"]) == 9
    assert {run["settings"]["lr"] for run in content["runs"][:3]} == {0.001}
    assert content["runs"][0]["verdict"]


def test_each_run_has_its_condition_and_which_run_has_which_is_said(tmp_path: Path, traindx_: Any) -> None:
    epochs = np.arange(30)
    fall = 0.2 + 2 * np.exp(-epochs / 5)
    for name, held in (("apart", fall + 0.06 * np.maximum(0, epochs - 10)), ("together", fall + 0.01)):
        rows = "".join(f"{e},{a},{b}\n" for e, a, b in zip(epochs, fall, held, strict=True))
        (tmp_path / f"{name}.csv").write_text(f"epoch,loss,val_loss\n{rows}")
    files = [tmp_path / "apart.csv", tmp_path / "together.csv"]
    runs = {run["name"]: run for run in json.loads(traindx_("compare", *files, "--format", "json").out)["runs"]}
    assert runs["apart"]["condition"] == "overfitting" and runs["together"]["condition"] != "overfitting"
    assert 8 <= runs["apart"]["since_step"] <= 12
    said = " ".join(traindx_("compare", *files).out.split())
    assert f"Overfitting: apart (since epoch {runs['apart']['since_step']})" in said


def test_html_is_one_page_that_needs_nothing(folder: Path, traindx_: Any) -> None:
    assert traindx_("compare", folder, "-o", "c.html").code == 0
    page = Path("c.html").read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>")
    assert not re.search(r'(src|href)="http|@import|url\(', page)
    assert page.count("<tr data-run=") == 9
    assert page.count("<polyline") == 27  # in the table, in the chart and beside the names


def test_the_curves_of_the_page_have_names_and_colours(folder: Path, traindx_: Any) -> None:
    traindx_("compare", folder, "-o", "c.html")
    page = Path("c.html").read_text(encoding="utf-8")
    names = re.search(r'<ul class="names">(.*?)</ul>', page, re.S)
    assert names is not None
    listed = re.findall(r'data-run="(\d+)">.*?</svg>(.*?)</li>', names[1], re.S)
    assert sorted(name for _, name in listed) == sorted(
        f"lr{rate}_seed{seed}" for rate in (0.001, 0.01, 0.1) for seed in (1, 2, 3)
    )
    chart = page[page.index('<svg class="chart"') : page.index('<ul class="names">')]
    styles = {run: style for style, run in re.findall(r'class="run ([\w ]+)" data-run="(\d+)"', chart)}
    assert len(set(styles.values())) == 9
    colours = {style.split()[0] for style in styles.values()}
    dark = page[page.index("prefers-color-scheme: dark") :]
    assert all(f"--{colour}: #" in page and f"--{colour}: #" in dark for colour in colours)


def test_settings_of_few_runs_stand_beside_each_other(folder: Path, traindx_: Any) -> None:
    few = [folder / f"lr{rate}_seed1/metrics.csv" for rate in (0.001, 0.1)]
    traindx_("compare", *few, "-o", "c.html")
    page = Path("c.html").read_text(encoding="utf-8")
    assert re.search(r"<tr><th>lr</th><td>0.001</td><td>0.1</td></tr>", page)


def test_a_spike_is_inside_the_chart(tmp_path: Path) -> None:
    from traindx.comparison import Measured
    from traindx.reports._svg import Frame

    steps = np.arange(200)
    values = np.full(200, 1.0)
    values[100] = 900.0
    frame = Frame.over([Measured("loss/train", steps, values, 1.0, 0, 1.0, steps, values, 0.1)], 100, 50)
    assert frame.log and frame.high == 900.0 and not frame.cut
    values[:] = np.linspace(-1, 1, 200)
    values[100] = 900.0
    frame = Frame.over([Measured("loss/train", steps, values, 1.0, 0, 1.0, steps, values, 0.1)], 100, 50)
    assert frame.cut and frame.high < 2


def test_names_from_files_cannot_break_the_page(tmp_path: Path, traindx_: Any) -> None:
    for i, name in enumerate(("<script>alert(1)<", "b&b")):
        write_csv(tmp_path / f"{name}.csv", 0.5 + i, i)
    traindx_("compare", tmp_path, "-o", tmp_path / "c.html")
    assert "<script>alert" not in (tmp_path / "c.html").read_text(encoding="utf-8")


def test_many_settings_fold_to_the_width(tmp_path: Path, traindx_: Any) -> None:
    for i in range(4):
        log = write_csv(tmp_path / f"run{i}/metrics.csv", 0.5 + i / 4, i)
        config = {f"a_rather_long_setting_{k}": (i * (k + 1)) % 3 for k in range(12)}
        (log.parent / "config.json").write_text(json.dumps(config))
    told = traindx_("compare", tmp_path)
    assert max(map(len, told.out.splitlines())) <= 80
    # Every run appears again in each block of columns.
    assert len(re.findall(r"^\d run2 ", told.out, re.M)) > 2


def test_many_runs_are_shortened_and_all_are_shown_when_asked(
    tmp_path: Path, traindx_: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("traindx.spreading.FEW", 1000)  # processes are tested elsewhere
    for i in range(30):
        write_csv(tmp_path / f"run_{i}.csv", 0.5 + i / 30, i)
    assert "5 runs between these are not shown" in traindx_("compare", tmp_path).out
    assert len(re.findall(r"^ ?\d+ run_", traindx_("compare", tmp_path, "--all").out, re.M)) == 30


def test_processes_give_the_same_answer(folder: Path, traindx_: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    alone = traindx_("compare", folder, "--format", "json").out
    monkeypatch.setattr("traindx.spreading.FEW", 1)
    monkeypatch.setattr("traindx.spreading.os.cpu_count", lambda: 2)
    assert traindx_("compare", folder, "--format", "json").out == alone


def test_one_bad_input_does_not_hide_the_others(folder: Path, traindx_: Any) -> None:
    told = traindx_("compare", "absent.csv", folder)
    assert told.code == 2
    assert "absent.csv does not exist" in told.err
    assert "9 runs" in told.out


@pytest.mark.parametrize(
    "words",
    [
        ("absent.csv",),
        ("empty",),
        ("runs", "--metric", "nonsense"),
        ("runs", "--higher-is-better"),
        ("runs", "--level", "x"),
        ("runs", "-o", "no/such/c.html"),
        (),
    ],
)
def test_bad_input_is_one_clear_line(words: tuple[str, ...], folder: Path, traindx_: Any) -> None:
    (folder.parent / "empty").mkdir()
    told = traindx_("compare", *words)
    assert told.code == 2
    lines = [line for line in told.err.splitlines() if "was not read" not in line]
    assert len(lines) == 1 and lines[0].startswith("traindx compare: ")


def test_text_in_a_folder_of_its_own_is_a_run(tmp_path: Path, traindx_: Any) -> None:
    for number in range(3):
        (tmp_path / f"run{number}").mkdir()
    write_csv(tmp_path / "run0" / "log.csv", 0.5)
    write_csv(tmp_path / "run1" / "log.csv", 0.6)
    text = "".join(f"step {i} loss {0.7 + 2 / (i + 1):.4f}\n" for i in range(50))
    for place in ("run0", "run2"):
        (tmp_path / place / "stdout.txt").write_text(text)
    (tmp_path / "run0" / "config.json").write_text('{"lr": 0.1}')
    (tmp_path / "README.md").write_text("Our best:\n\n" + text)
    told = traindx_("compare", tmp_path)
    assert "3 runs" in told.out and "run2/stdout.txt" in told.out
    assert "run0/stdout.txt" in told.err and "README.md" in told.err and "config.json" not in told.err


def test_runs_can_be_named_by_an_option_and_a_metric_by_its_usual_name(tmp_path: Path, traindx_: Any) -> None:
    for name, power in (("exp1", 0.3), ("exp2", 0.6)):
        (tmp_path / name).mkdir()
        rows = (
            f"Epoch {i} train loss: {2 / (i + 1):.4f} validation loss: {2 / (i + 1) ** power:.4f}" for i in range(30)
        )
        (tmp_path / name / "train_log.txt").write_text("\n".join(rows) + "\n")
    runs = [str(tmp_path / "exp1"), str(tmp_path / "exp2")]
    named = traindx_("compare", "--runs", *runs, "--metric", "val_loss")
    assert named.code == 0 and "The best run is exp2" in named.out
    assert named.out == traindx_("compare", *runs, "--metric", "val_loss").out
