"""The page as a person meets it: read, clicked, zoomed, copied, in both themes, narrow, printed, without a mouse."""

from __future__ import annotations

import base64
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import page_runs
import pytest
import screens
from PIL import Image

from traindx.commands._output import page_of
from traindx.diagnosis import diagnose
from traindx.record import RunBuilder

PANELS = ("verdict", "loss", "layers", "timing", "data", "facts", "checks")
DRAWN = """const canvas = document.querySelector(arguments[0]), paint = canvas.getContext('2d');
return new Set(new Uint32Array(paint.getImageData(0, 0, canvas.width, canvas.height).data.buffer)).size;"""
RANGE = "const t = document.querySelector(arguments[0]).chart.plot.scales.x; return [t.min, t.max]"
LOSS, GRADIENT = "#chart-loss .chart", "#chart-gradient .chart"


@pytest.mark.parametrize("kind", page_runs.EVERY)
def test_every_panel_has_content(kind: str, view: Any, page: Callable[..., str]) -> None:
    view.open(page(kind))
    for panel in PANELS:
        assert len(view.text(f"#{panel}")) > 20, panel
    assert view.js(DRAWN, f"{LOSS} canvas") > 20
    assert view.text("#sentence")
    assert view.js("return performance.getEntriesByType('resource').length") == 0
    assert view.errors() == []


def test_what_a_record_holds_is_drawn(view: Any, page: Callable[..., str]) -> None:
    view.open(page("sick"))
    assert view.js(DRAWN, ".heat canvas") > 5
    assert view.js("return document.querySelectorAll('.profiles canvas').length") == 2
    assert [view.text(f"#chart-{key} h3") for key in ("rate", "gradient")] == ["Learning rate", "Gradient norm"]
    assert "Waiting for data" in view.text("#timing")
    assert "34 %" in view.text("#data")


def test_the_curves_of_a_trial_are_drawn_over_each_other(view: Any, page: Callable[..., str]) -> None:
    view.open(page("treated"))
    legend = view.js("return [...document.querySelectorAll('.trial .legend button')].map((one) => one.innerText)")
    assert [text.split()[0] for text in legend] == ["Control", "Treated"]
    view.until("return document.querySelector('.trial .chart').chart.plot")
    drawn = (
        "return document.querySelector('.trial .chart').chart.plot.data.slice(1).map((y) => y.filter(Number).length)"
    )
    assert view.js(drawn) == [90, 100]
    assert view.js(DRAWN, ".trial .chart canvas") > 5
    assert view.errors() == []
    assert view.violations() == []


def test_a_log_says_what_was_not_recorded(view: Any, page: Callable[..., str]) -> None:
    view.open(page("log"))
    assert all("traindx run train.py" in view.text(f"#{panel}") for panel in ("layers", "timing", "data"))


def test_names_stay_text(view: Any, page: Callable[..., str]) -> None:
    view.open(page("hostile"))
    assert view.js("return document.scripts.length") == 3
    assert "</script><!--<script>alert(1)</script>" in view.text(".hero .details")
    assert "</script><!--<script>alert(1)</script>" in view.text(".heat")
    assert view.errors() == []  # an alert would also have stopped the script above


def test_a_spike_of_one_step_among_a_million_is_drawn(view: Any, page: Callable[..., str]) -> None:
    view.open(page("huge"))
    spike = page_runs.huge().series("loss/train").values.argmax()
    drawn = """const [x, y] = document.querySelector(arguments[0]).chart.plot.data;
        return [Math.max(...y.filter(Boolean)), x.length, y.filter((value) => value === null).length]"""
    highest, points, holes = view.js(drawn, LOSS)
    assert highest == pytest.approx(9.0, rel=1e-3)
    assert points < 10_000
    assert holes == 0
    view.js(
        "document.querySelector(arguments[0]).chart.timeline.show(arguments[1] - 40, arguments[1] + 40)",
        LOSS,
        int(spike),
    )
    view.until("return document.querySelector('#loss .range').textContent.includes('699,960')")
    view.until("return document.querySelector(arguments[0]).chart.plot.data[0].length < 200", LOSS)
    assert view.js(drawn, LOSS)[0] == pytest.approx(9.0, rel=1e-3)


def test_dragging_zooms_all_charts_and_a_double_click_shows_the_whole_run(view: Any, page: Callable[..., str]) -> None:
    from selenium.webdriver.common.action_chains import ActionChains

    view.open(page("sick"))
    view.js("document.querySelector('#chart-loss').scrollIntoView({block: 'center'})")
    whole = view.js(RANGE, LOSS)
    over = view.find(f"{LOSS} .u-over")
    ActionChains(view.driver).move_to_element_with_offset(over, -100, 0).click_and_hold().move_by_offset(
        200, 0
    ).release().perform()
    view.until("const t = document.querySelector(arguments[0]).chart.plot.scales.x; return t.max - t.min < 200", LOSS)
    assert view.js(RANGE, LOSS) == view.js(RANGE, GRADIENT)
    assert "steps" in view.text("#loss .range")
    ActionChains(view.driver).double_click(over).perform()
    view.until("return document.querySelector('#loss .range').textContent === 'whole run'")
    view.until(
        "const t = document.querySelector(arguments[0]).chart.plot.scales.x; return t.max === arguments[1]",
        LOSS,
        whole[1],
    )
    assert view.errors() == []


def test_keys_zoom_and_move(view: Any, page: Callable[..., str]) -> None:
    view.open(page("healthy"))
    chart = view.find(LOSS)
    chart.send_keys("+")
    view.until("return document.querySelector('#loss .range').textContent !== 'whole run'")
    before = view.text("#loss .range")
    chart.send_keys("\ue014")  # arrow to the right
    view.until("return document.querySelector('#loss .range').textContent !== arguments[0]", before)
    chart.send_keys("0")
    view.until("return document.querySelector('#loss .range').textContent === 'whole run'")


def test_scale_smoothing_and_lines_can_be_switched(view: Any, page: Callable[..., str]) -> None:
    view.open(page("healthy"))
    scale = "return document.querySelector(arguments[0]).chart.plot.scales.y.distr"
    before = view.js(scale, LOSS)
    view.click("#chart-loss .choice button[aria-pressed=false]")
    assert {before, view.js(scale, LOSS)} == {1, 3}
    lines = "return document.querySelector(arguments[0]).chart.lines.filter((line) => !line.hidden).length"
    shown = view.js(lines, LOSS)
    view.click("#loss .tools .choice button")  # raw
    assert view.js(lines, LOSS) == shown - 1
    view.click("#chart-loss .legend button:last-child")
    assert view.js(lines, LOSS) == shown - 2


def test_evidence_leads_to_the_chart(view: Any, page: Callable[..., str]) -> None:
    view.open(page("sick"))
    step = view.text("a.see[data-panel=loss]").rpartition(", ")[2]
    view.click("a.see[data-panel=loss]")
    view.until("return document.activeElement === document.querySelector(arguments[0])", LOSS)
    assert view.js("return document.querySelector(arguments[0]).chart.plot.cursor.left >= 0", LOSS)
    assert step.startswith("step ")
    assert view.text("#chart-loss .where") == step


def test_patch_and_command_are_copied(view: Any, page: Callable[..., str]) -> None:
    view.open(page("sick"))
    view.js("navigator.clipboard.writeText = (text) => { window.taken = text; return Promise.resolve(); }")
    view.click(".hero .copy, .next .copy")
    view.until("return [...document.querySelectorAll('.copy')].some((button) => button.textContent === 'Copied')")
    assert view.js("return window.taken").strip()
    assert "Copied" in view.js("return document.getElementById('said').textContent")


def test_the_theme_changes_and_follows_the_system(view: Any, page: Callable[..., str]) -> None:
    ground = "return getComputedStyle(document.body).backgroundColor"
    view.open(page("sick"))
    light = view.js(ground)
    view.click("#theme")
    dark = view.js(ground)
    assert light == "rgb(255, 255, 255)"
    assert dark != light
    view.media("dark")
    view.open(page("sick"))
    assert view.js(ground) == dark


def test_a_layer_shows_its_series_and_the_slider_the_depth(view: Any, page: Callable[..., str]) -> None:
    view.open(page("sick"))
    view.click(".layer[aria-pressed]")
    view.until("return document.querySelectorAll('.detail canvas').length === 1")
    assert "Gradient norm of body.0.weight" in view.text(".detail")
    said = "return [...document.querySelectorAll('.bins')].map((bins) => bins.getAttribute('aria-label'))"
    first, _, last = view.js(said)
    assert first.startswith("Output of body.0 at step 0: from −1.5 to 2.5, most often (")
    assert last == "Output of body.0 at step 290: always 0"
    assert view.js("return document.querySelector('.bins').children.length") == 24
    assert "not recorded" not in view.text(".depth")
    slider = view.find(".slide input")
    before = view.text(".slide output")
    slider.send_keys("\ue012")  # arrow to the left
    view.until("return document.querySelector('.slide output').textContent !== arguments[0]", before)
    view.click("#layers .choice button:nth-child(3)")
    assert "Dead units" in view.js("return document.querySelector('.heat .grid').getAttribute('aria-label')")
    rows = view.js("return document.querySelectorAll('.layer').length")
    view.click(".layer[aria-expanded=true]")
    assert view.js("return document.querySelectorAll('.layer').length") < rows
    assert view.js("return document.activeElement.getAttribute('aria-expanded')") == "false"


def test_several_runs_are_drawn_over_each_other(view: Any, page: Callable[..., str]) -> None:
    view.open(page("sick", "healthy"))
    assert view.js("return document.querySelector('#compare .chart').chart.lines.length") == 2
    assert view.js(DRAWN, "#compare canvas") > 20
    assert "✓ Healthy" in view.text("#compare table")
    sentence = view.text("#sentence")
    view.js("const s = document.querySelector('#bar select'); s.value = '1'; s.dispatchEvent(new Event('change'))")
    view.until("return document.querySelector('#sentence').innerText !== arguments[0]", sentence)
    assert view.errors() == []


def test_a_page_of_many_runs_lists_the_worst_first_and_shows_the_one_that_is_clicked(
    view: Any, page: Callable[..., str]
) -> None:
    view.open(page("healthy", "log", "sick", "hostile"))
    states = view.js("return [...document.querySelectorAll('.run')].map((one) => one.dataset.state)")
    assert states == sorted(states, key=["sick", "suspected", "inconclusive", "healthy"].index)
    starts = view.js("return [...document.querySelectorAll('.course span')].map((one) => one.style.marginLeft)")
    assert any(start not in ("", "0%") for start in starts)
    sentence = view.text("#sentence")
    view.js("[...document.querySelectorAll('.run')].at(-1).click()")
    view.until("return document.querySelector('#sentence').innerText !== arguments[0]", sentence)
    assert view.js("return [...document.querySelectorAll('.run')].at(-1).matches('[aria-current]')")
    assert view.errors() == []
    assert view.violations() == []


@pytest.mark.parametrize(
    ("kind", "width", "scheme"),
    [("sick", 1280, "light"), ("healthy", 1280, "dark"), ("log", 400, "light"), ("sick", 400, "dark")],
)
def test_it_is_accessible(kind: str, width: int, scheme: str, view: Any, page: Callable[..., str]) -> None:
    view.size(width)
    view.media(scheme)
    view.open(page(kind))
    view.js("for (const fold of document.querySelectorAll('details')) fold.open = true")
    assert view.violations() == []
    assert view.js("return document.documentElement.scrollWidth") <= width


def test_nothing_is_cut_on_a_narrow_screen(view: Any, page: Callable[..., str]) -> None:
    view.size(400)
    view.open(page("sick", "healthy", "log"))
    view.js("for (const fold of document.querySelectorAll('details')) fold.open = true")
    cut = """return [...document.querySelectorAll('.wide, .heat .grid, .layer .own')].filter(
        (one) => one.scrollWidth > one.clientWidth && one.clientWidth).map((one) => one.className)"""
    assert view.js(cut) == []
    assert view.js("return document.querySelector('.heat canvas').clientWidth") > 180
    ticks = view.js("""return [...document.querySelectorAll('.looks span')].map((one) => one.getBoundingClientRect())
        .filter((box) => box.width).map((box) => [box.left, box.right])""")
    assert len(ticks) >= 3
    assert all(left[1] < right[0] for left, right in pairwise(ticks))
    said = "return getComputedStyle(document.querySelector('.compared td[data-run]'), '::before').content"
    assert "sick" in view.js(said)
    assert view.violations() == []


def test_a_gradient_norm_is_a_line_unless_only_some_steps_were_measured(view: Any, page: Callable[..., str]) -> None:
    joined = "return !document.querySelector(arguments[0]).chart.lines[0].dots"
    view.open(page("sick"))  # measured all through the run
    assert view.js(joined, GRADIENT)
    assert "measured at" not in view.text("#chart-gradient")
    view.open(page("healthy"))  # not at all in its second half
    assert not view.js(joined, GRADIENT)
    assert "measured at 17 steps" in view.text("#chart-gradient")


def test_it_prints_light_and_unfolded(view: Any, page: Callable[..., str]) -> None:
    ground = "return getComputedStyle(document.body).backgroundColor"
    view.media("dark")
    view.open(page("sick"))
    dark = view.js(ground)
    printed = view.driver.execute_cdp_cmd("Page.printToPDF", {"printBackground": True})["data"]
    assert base64.b64decode(printed).startswith(b"%PDF")
    assert view.js(ground) == dark
    view.media("dark", kind="print")
    assert view.js("return getComputedStyle(document.querySelector('#bar')).display") == "none"
    view.js("dispatchEvent(new Event('beforeprint'))")
    assert view.js(ground) == "rgb(255, 255, 255)"
    assert view.js("return document.querySelectorAll('details:not([open])').length") == 0
    view.until("return [...document.querySelectorAll('.chart')].every((chart) => chart.querySelector('canvas'))")
    view.media()


@pytest.mark.parametrize("name", screens.SCREENS)
def test_it_looks_as_it_did(name: str, view: Any, page: Callable[..., str]) -> None:
    """Against the pictures in docs/screens (`python tests/reports/page/screens.py` renews them)."""
    kept = Image.open(screens.FOLDER / f"{name}.png")
    taken = screens.take(view, page(screens.SCREENS[name][0]), name)
    if screens.fonts(view) != kept.text["fonts"]:
        pytest.skip("this machine has other fonts than the kept pictures")
    assert screens.difference(taken, kept.convert("RGB")) < 0.25


def test_many_runs_can_be_searched_and_name_the_command_for_their_page(view: Any, tmp_path: Path) -> None:
    steps = np.arange(60)
    runs = []
    for number in range(400):
        builder = RunBuilder(f"logs/lr{number}/metrics.csv", "csv").fact("log", {"step_unit": "step"})
        loss = 0.3 + 2 * 0.9**steps
        runs.append(builder.series("loss/train", steps, loss * np.where((steps > 40) & (number % 99 == 7), np.nan, 1)))
    built = [builder.build() for builder in runs]
    file = tmp_path / "many.html"
    file.write_text(page_of([(run, diagnose(run)) for run in built]), encoding="utf-8")
    view.open(file.as_uri())
    rows = "return document.querySelectorAll('.run').length"
    assert view.js(rows) == 300
    view.js("[...document.querySelectorAll('.runs > button')].at(-1).click()")
    assert view.js(rows) == 400
    assert view.js("return document.querySelectorAll('#bar option').length") == 20
    view.js("const f = document.querySelector('#runs input'); f.value = 'lr399'; f.dispatchEvent(new Event('input'))")
    assert view.js(rows) == 1
    view.js("document.querySelector('.runs summary').click()")
    assert "traindx report logs/lr399/metrics.csv" in view.text(".runs details")
    assert view.errors() == []
    assert view.violations() == []
