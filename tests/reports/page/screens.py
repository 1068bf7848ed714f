"""Pictures of the page: `python tests/reports/page/screens.py` renews those in docs/screens after a look at them."""

from __future__ import annotations

import base64
import io
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image
from PIL.PngImagePlugin import PngInfo

FOLDER = Path(__file__).parents[3] / "docs" / "screens"
# name: kind of run, width, colour scheme, from which element on, height
SCREENS: dict[str, tuple[str, int, str, str, int]] = {
    "page": ("sick", 1280, "light", "body", 1500),
    "loss": ("sick", 1280, "light", "#loss", 860),
    "layers": ("sick", 1280, "dark", "#layers", 900),
    "narrow": ("healthy", 400, "light", "body", 1400),
}
CELL = 16  # pixels: what moves by one or two is no difference


def take(view: Any, address: str, name: str) -> Image.Image:
    """A picture of the page as it is, or a part of it."""
    _, width, scheme, start, height = SCREENS[name]
    view.size(width)
    view.media(scheme)
    view.open(address)
    view.driver.execute_async_script(
        "requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(arguments[0], 150)))"
    )
    top = view.js("return document.querySelector(arguments[0]).getBoundingClientRect().top + scrollY", start)
    clip = {"x": 0, "y": top, "width": width, "height": height, "scale": 1}
    options = {"format": "png", "captureBeyondViewport": True, "clip": clip}
    data = view.driver.execute_cdp_cmd("Page.captureScreenshot", options)["data"]
    return Image.open(io.BytesIO(base64.b64decode(data))).convert("RGB")


def difference(taken: Image.Image, kept: Image.Image) -> float:
    """How much of what stands in the kept picture is otherwise: 0 for the same, 1 for an empty page."""
    blank = Image.new("RGB", kept.size, kept.getpixel((2, kept.height - 2)))
    one, other, ground = (np.asarray(picture.convert("L").reduce(CELL), float) for picture in (taken, kept, blank))
    return float(np.abs(one - other).sum() / np.abs(other - ground).sum())


def fonts(view: Any) -> str:
    """How wide a sentence is: pictures can only be compared where it is the same, because lines break elsewhere."""
    return str(
        view.js("""const paint = document.createElement('canvas').getContext('2d');
        return ['16px system-ui', '16px ui-monospace, monospace'].map((font) => {
            paint.font = font; return paint.measureText('The learning rate rose from 0.1 to 1').width.toFixed(1);
        }).join(' ')""")
    )


def renew() -> None:
    import sys
    import tempfile

    sys.path.insert(0, str(Path(__file__).parent))
    import page_runs

    import conftest

    driver = conftest.started()
    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        for name, (kind, *_) in SCREENS.items():
            file = Path(folder) / f"{kind}.html"
            run = page_runs.EVERY[kind]()
            file.write_text(conftest.page_of([(run, conftest.diagnose(run))]), encoding="utf-8")
            picture = take(conftest.View(driver), file.as_uri(), name)
            about = PngInfo()
            about.add_text("fonts", fonts(conftest.View(driver)))
            picture.quantize(128, dither=Image.Dither.NONE).save(FOLDER / f"{name}.png", optimize=True, pnginfo=about)
            print(FOLDER / f"{name}.png")
    driver.quit()


if __name__ == "__main__":
    renew()
