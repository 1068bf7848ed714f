"""How long a frame of the page takes with a million points: `python -m benchmarks.page.smoothness [--points N]`.

Opens the page in Debian's chromium, zooms in and pans, and times what the page's own code needs for a frame.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

from traindx.commands._output import page_of
from traindx.diagnosis import diagnose

PAN = """const chart = document.querySelector('#chart-loss .chart').chart, timeline = chart.timeline, times = [];
const width = (timeline.extent[1] - timeline.extent[0]) * arguments[0];
for (let i = 0; i < 60; i += 1) {
  const from = timeline.extent[0] + (timeline.extent[1] - timeline.extent[0] - width) * (i / 60);
  [timeline.from, timeline.to] = [from, from + width];
  const began = performance.now();
  for (const one of timeline.charts) one.draw();
  chart.plot.ctx.getImageData(0, 0, 1, 1);
  times.push(performance.now() - began);
}
times.sort((a, b) => a - b);
return [times[30], times[57]];"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--points", type=int, default=1_000_000)
    options = parser.parse_args()
    sys.path.insert(0, str(Path(__file__).parents[2] / "tests" / "reports" / "page"))
    import page_runs

    import conftest

    run = page_runs.huge(options.points)
    began = time.process_time()
    page = page_of([(run, diagnose(run))])
    print(f"{options.points:,} points: {len(page.encode()) / 1e6:.2f} MB, made in {time.process_time() - began:.2f} s")
    driver = conftest.started()
    view = conftest.View(driver)
    view.size()
    view.media()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "page.html"
        file.write_text(page, encoding="utf-8")
        view.open(file.as_uri())
        ready = view.js("return performance.now()")
        print(f"open and drawn after at most {ready:.0f} ms")
        for share in (1.0, 0.5, 0.1, 0.001):
            median, slow = view.js(PAN, share)
            print(f"{share:6.1%} of the run in view: {median:.1f} ms a frame (95 %: {slow:.1f} ms)")
    driver.quit()


if __name__ == "__main__":
    main()
