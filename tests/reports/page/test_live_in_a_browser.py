"""The page follows a run in a real browser: points, findings and alerts arrive; a restarted server is found again."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from traindx.record.reading import load
from traindx.record.writer import RecordWriter
from traindx.reports.live import follow

POINTS = "return document.querySelector('#chart-loss .chart').chart.lines[0].series.n"
BADGE = "return document.querySelector('#live .words').textContent === arguments[0]"


@pytest.fixture
def writer(tmp_path: Path) -> Iterator[RecordWriter]:
    writer = RecordWriter(tmp_path / "run.tdx")
    writer.fact("started", 1.8e9)
    writer.fact("heartbeat", 4e9)
    train(writer, 0, 200)
    yield writer
    writer.close()


def train(writer: RecordWriter, first: int, last: int, value: float = 1.0) -> None:
    steps = range(first, last)
    writer.points("loss/train", steps, [value + 2.0 * 0.99**step for step in steps])
    writer.flush()


def serve(writer: RecordWriter, **options: Any) -> Any:
    path = writer.path
    return follow(path, lambda: load(path), complain=lambda message: None, **options)


def often(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reports follow each other quickly, also on a busy machine."""
    monkeypatch.setattr("traindx.reports.live.following.PAUSE_SECONDS", 0.3)
    monkeypatch.setattr("traindx.reports.live.following.COST", 0.0)


def test_a_run_is_followed_to_its_end(writer: RecordWriter, view: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    often(monkeypatch)
    server, following = serve(writer)
    try:
        view.open(server.address)
        view.until(BADGE, "Live")
        assert view.js(POINTS) == 200
        train(writer, 200, 300)
        view.until(f"{POINTS} === 300")
        view.until("return document.querySelector('#chart-loss .chart').chart.timeline.to === 299")
        sentence = view.text("#sentence")
        train(writer, 300, 400, float("nan"))
        writer.event("nonfinite-loss", 300, value="nan")
        writer.flush()
        view.until("return document.querySelectorAll('.alert').length > 0")
        assert "step 300" in view.text(".alert")
        view.until("return document.querySelector('#sentence').innerText !== arguments[0]", sentence)
        assert "NaN" in view.text("#sentence")
        writer.fact("exit", "ok")
        writer.flush()
        view.until(BADGE, "Ended")
        assert view.js(POINTS) == 400
        assert view.js(
            "return performance.getEntriesByType('resource').every((r) => r.name.startsWith(location.origin))"
        )
        assert view.errors() == []
    finally:
        following.stop()
        server.close()


def test_the_page_finds_a_restarted_server_again(writer: RecordWriter, view: Any) -> None:
    server, following = serve(writer)
    view.open(server.address)
    view.until(BADGE, "Live")
    address, port = server.address, server.port
    following.stop()
    server.close()
    view.until(BADGE, "Reconnecting")
    train(writer, 200, 300)
    server, following = serve(writer, port=port)
    try:
        assert server.address == address
        view.until(BADGE, "Live")
        view.until(f"{POINTS} === 300")
    finally:
        following.stop()
        server.close()


def test_zoom_and_opened_folds_survive_new_findings(
    writer: RecordWriter, view: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    often(monkeypatch)
    server, following = serve(writer)
    try:
        view.open(server.address)
        view.js("document.querySelector('#chart-loss .chart').chart.timeline.show(50, 90)")
        view.js("document.querySelector('#checks details:last-of-type').open = true")
        before = view.text("#checks details:last-of-type summary")
        train(writer, 200, 500)
        view.until(f"{POINTS} === 500")
        view.until("return document.querySelector('.hero .details').innerText.includes('500 steps')")
        assert "50 – 90" in view.text("#loss .range")
        assert view.js("return document.querySelector('#checks details:last-of-type').open"), before
        assert view.errors() == []
    finally:
        following.stop()
        server.close()


HOSTILE = {
    "markup": "</script><script>window.broken = 1</script><img src=x onerror=window.broken=1>",
    "quotes": "\"'`;alert(1)//\\",
    "terminal": "\x1b]0;title\x07\x1b[31mred\x1b[0m\r\n\t\x00end",
    "direction": "loss\u202egnp.exe\u2066\u200f\u061c",
    "long": "x" * 20_000,
    "surrogates": "\ud800\U0001f4a9\ufeff\ufffe",
    "prototype": "__proto__",
    "template": "${alert(1)}{{content}}{{policy}}",
}


@pytest.mark.parametrize("name", HOSTILE.values(), ids=HOSTILE)
def test_hostile_names_stay_text(name: str, writer: RecordWriter, view: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    often(monkeypatch)
    name = name.encode("utf-8", "replace").decode() if "\ud800" in name else name
    names = [f"{name}.0.weight", f"{name}.1.weight"]
    writer.points(f"raw/{name}", range(200), [1.0] * 200)
    for step in range(0, 200, 20):
        writer.layers("grad_norm", step, names, [1.0, 2.0])
    writer.event("observer-off", 3, observer=name, reason=name)
    writer.fact("error", {"type": name, "message": name})
    writer.flush()
    server, following = serve(writer)
    try:
        view.open(server.address)
        view.until(BADGE, "Live")
        train(writer, 200, 300)
        writer.points(f"raw/{name}", range(200, 300), [2.0] * 100)
        writer.flush()
        view.until(f"{POINTS} === 300")
        assert view.js("return [window.broken === undefined, document.scripts.length]") == [True, 3]
        assert view.js("return document.documentElement.scrollWidth <= window.innerWidth")
        assert view.errors() == []
    finally:
        following.stop()
        server.close()


def test_a_script_that_somebody_adds_does_not_run(writer: RecordWriter, view: Any) -> None:
    server, following = serve(writer)
    try:
        view.open(server.address)
        view.js(
            "const one = document.createElement('script'); one.textContent = 'window.broken = 1';"
            "document.body.append(one);"
            "document.body.insertAdjacentHTML('beforeend', '<b onclick=\"window.broken = 1\" id=added>x</b>');"
            "document.getElementById('added').dispatchEvent(new MouseEvent('click'))"
        )
        assert view.js("return window.broken === undefined")
        assert any("Content Security Policy" in line for line in view.errors())
    finally:
        following.stop()
        server.close()
