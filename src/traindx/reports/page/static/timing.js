// The time that each part of a step takes, and memory.

const PART_COLOURS = {
  "time/data": "line-2",
  "time/forward": "line-1",
  "time/backward": "line-3",
  "time/step": "line-4",
  rest: "line-8",
};

function timingPanel(report) {
  const { timing } = report;
  if (!timing)
    return absentPanel(
      "timing",
      "Where time goes",
      "Not recorded: ",
      report.about.details[0] === "observed"
        ? "no step was timed."
        : [
            "a log does not contain the times of single steps. ",
            h("code", {}, "traindx run train.py"),
            " measures data, forward, backward and step.",
          ],
    );
  const bar = h("div", { class: "parts", "aria-hidden": "true" });
  const rows = timing.parts.map((part) => {
    const share = timing.step_seconds ? part.seconds / timing.step_seconds : 0;
    const piece = h("span", {});
    piece.style.width = `${100 * share}%`;
    piece.style.background = `var(--${PART_COLOURS[part.name] || "line-8"})`;
    bar.append(piece);
    const dot = h("span", { class: "dot", "aria-hidden": "true" });
    dot.style.background = `var(--${PART_COLOURS[part.name] || "line-8"})`;
    return h(
      "tr",
      {},
      h("th", { scope: "row" }, dot, part.label),
      h("td", {}, seconds(part.seconds)),
      h("td", {}, percent(share)),
    );
  });
  const charts = [
    timing.stepSeries && timing.stepSeries.n > 3
      ? sideChart("Time per step", timing.stepSeries, seconds, true, true)
      : null,
    timing.memorySeries && timing.memorySeries.n > 1 ? sideChart("Memory", timing.memorySeries, bytes, true) : null,
  ].filter(Boolean);
  return panel(
    "timing",
    "Where time goes",
    rows.length
      ? [
          h(
            "p",
            {},
            "A typical step takes ",
            h("b", {}, seconds(timing.step_seconds)),
            ` (median of ${count(timing.sampled)} timed step${timing.sampled === 1 ? "" : "s"}).`,
          ),
          bar,
          h(
            "div",
            { class: "wide", tabindex: "0", role: "group", "aria-label": "Table of times" },
            h(
              "table",
              {},
              h(
                "thead",
                {},
                h(
                  "tr",
                  {},
                  h("th", { scope: "col" }, "Part"),
                  h("th", { scope: "col" }, "Median"),
                  h("th", { scope: "col" }, "Share"),
                ),
              ),
              h("tbody", {}, rows),
            ),
          ),
        ]
      : null,
    charts.length ? h("div", { class: "pair" }, charts) : null,
  );
}

// A small chart that shares the time axis of the loss.
function sideChart(title, series, format = num, zero = false, spans = false) {
  const legend = h("div", { class: "legend" });
  const chart = new Chart(shown.timeline, {
    title,
    height: 130,
    zero,
    log: spans && spansDecades(series),
    format: (value) => format(value),
    lines: [{ series, label: title, colour: "line-1", gap: widestGap(series), dots: series.n > 60 && series.n < 600 }],
  });
  chart.onCursor = (step) => {
    const at = step === null ? series.n - 1 : series.nearest(step);
    legend.textContent =
      at < 0 ? "" : `${shown.timeline.unit} ${count(series.steps[at])}: ${format(series.values[at])}`;
  };
  chart.onCursor(null);
  onTheme.push(() => chart.remake());
  return h("figure", { class: "curve" }, h("figcaption", {}, h("h3", {}, title), legend), chart.figure);
}
