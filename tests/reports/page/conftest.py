"""A real browser for the page's tests: Debian's chromium by its path, one session for all tests of a process."""

from __future__ import annotations

import gzip
import importlib.util
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import page_runs
import pytest

from traindx.commands._output import page_of
from traindx.diagnosis import diagnose

AXE = Path(__file__).parent / "vendor" / "axe-4.14.0.min.js.gz"
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
PATIENCE = 60.0  # a busy machine takes long; a page that works does not need it


def missing() -> str:
    """What a browser test lacks here, in one line; empty where it can run."""
    lacking = []
    if importlib.util.find_spec("selenium") is None:
        lacking.append("selenium")
    if not any(map(shutil.which, BROWSERS)):
        lacking.append("chromium")
    if shutil.which("chromedriver") is None:
        lacking.append("chromium-driver")
    return f"no browser: {', '.join(lacking)} not installed" if lacking else ""


class View:
    """The browser, as a person uses it."""

    def __init__(self, driver: Any) -> None:
        self.driver = driver

    def size(self, width: int = 1280, height: int = 900) -> None:
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)

    def media(self, scheme: str = "light", kind: str = "") -> None:
        features = [
            {"name": "prefers-color-scheme", "value": scheme},
            {"name": "prefers-reduced-motion", "value": "reduce"},
        ]
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": kind, "features": features})

    def open(self, address: str) -> None:
        self.driver.get_log("browser")
        self.driver.get(address)
        self.until("return document.documentElement.dataset.ready === 'yes'")
        self.until("return document.querySelectorAll('.chart canvas').length > 0")

    def js(self, script: str, *arguments: Any) -> Any:
        return self.driver.execute_script(script, *arguments)

    def until(self, script: str, *arguments: Any) -> Any:
        end = time.monotonic() + PATIENCE
        while not (found := self.js(script, *arguments)):
            assert time.monotonic() < end, f"never became true: {script}\n{self.errors()}"
            time.sleep(0.05)
        return found

    def find(self, selector: str) -> Any:
        return self.driver.find_element("css selector", selector)

    def click(self, selector: str) -> None:
        self.js("document.querySelector(arguments[0]).scrollIntoView({block: 'center'})", selector)
        self.find(selector).click()

    def text(self, selector: str) -> str:
        return str(self.js("return document.querySelector(arguments[0]).innerText", selector))

    def errors(self) -> list[str]:
        """What the console complained about since the page was opened."""
        return [entry["message"] for entry in self.driver.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")]

    def violations(self) -> list[str]:
        """What axe finds against WCAG 2.2, levels A and AA."""
        if not self.js("return typeof axe === 'object'"):
            self.js(gzip.decompress(AXE.read_bytes()).decode())
        rules = {"runOnly": {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]}}
        found = self.driver.execute_async_script("axe.run(arguments[0]).then(arguments[1])", rules)
        return [f"{one['id']}: {node['html'][:200]}" for one in found["violations"] for node in one["nodes"]]


def started() -> Any:
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = next(filter(None, map(shutil.which, BROWSERS)))
    for flag in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--hide-scrollbars"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))
    driver.set_script_timeout(60)
    return driver


@pytest.fixture(scope="session")
def driver() -> Iterator[Any]:
    if why := missing():
        pytest.skip(why)
    driver = started()
    yield driver
    driver.quit()


@pytest.fixture
def view(driver: Any) -> View:
    view = View(driver)
    view.size()
    view.media()
    return view


@pytest.fixture(scope="session")
def page(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., str]:
    """The address of the page of a kind of run, or of several kinds together, made once."""
    folder = tmp_path_factory.mktemp("pages")
    kinds = {**page_runs.EVERY, "hostile": page_runs.hostile, "treated": page_runs.sick}

    def address(*names: str) -> str:
        file = folder / f"{'-'.join(names)}.html"
        if not file.exists():
            runs = [(kinds[name](), page_runs.treated if name == "treated" else diagnose) for name in names]
            file.write_text(page_of([(run, diagnosed(run)) for run, diagnosed in runs]), encoding="utf-8")
        return file.as_uri()

    return address
