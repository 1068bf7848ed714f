// Loss, learning rate, gradient norm and the rest, on one time axis.

const SHARES = [
  [0, "Raw"],
  [0.01, "1 %"],
  [0.04, "4 %"],
  [0.15, "15 %"],
];
const HEIGHTS = { loss: 300, gradient: 140, rate: 100, accuracy: 140, update: 120 };
const FEW = 30; // a series with fewer points is not smoothed
const SAMPLED = ["gradient", "update"]; // where steps are short, only some of them are measured
const ALWAYS = ["loss", "rate", "gradient"]; // the other charts are folded away

function curvesPanel(report, timeline) {
  const state = { share: 0.04, charts: [], log: {} };
  const range = h("span", { class: "range" });
  const tell = () => {
    range.textContent = timeline.whole
      ? "whole run"
      : `${timeline.unit}s ${count(timeline.from)} – ${count(timeline.to)}`;
  };
  timeline.listeners.push(tell);
  tell();
  const box = h("div", { class: "stack" }),
    more = h("div", { class: "stack" });
  const shown = report.curves.charts;
  const others = shown.filter((chart) => !ALWAYS.includes(chart.key));
  shown.forEach((chart) => {
    const last = chart === shown.filter((one) => ALWAYS.includes(one.key) === ALWAYS.includes(chart.key)).pop();
    (ALWAYS.includes(chart.key) ? box : more).append(curveChart(report, chart, timeline, state, last));
  });
  const redraw = () => {
    for (const chart of state.charts) chart.remake();
  };
  onTheme.push(redraw);
  if (!shown.length) return absentPanel("loss", "Loss", "This run has recorded no values yet.");
  return panel(
    "loss",
    "Loss",
    h(
      "div",
      { class: "tools" },
      choice("Smoothing", SHARES, state.share, (share) => {
        state.share = share;
        state.charts.forEach((chart) => {
          chart.smoothing(share);
        });
      }),
      h(
        "div",
        { class: "tools" },
        range,
        tool("Zoom in", "+", () => timeline.zoom(0.6)),
        tool("Zoom out", "−", () => timeline.zoom(1 / 0.6)),
        tool("Earlier", "←", () => timeline.pan(-0.5)),
        tool("Later", "→", () => timeline.pan(0.5)),
        tool("Show the whole run", "Whole run", () => timeline.reset()),
      ),
    ),
    box,
    h(
      "p",
      { class: "hint" },
      "Drag across a chart to zoom, double-click for the whole run; Ctrl and wheel zooms. The smoothed line is a running mean over the chosen share of the run.",
    ),
    others.length
      ? h(
          "details",
          { class: "fold", ontoggle: () => state.charts.forEach((chart) => chart.fit()) },
          h("summary", {}, `More series (${others.length})`),
          more,
        )
      : null,
    markList(report.marks, timeline),
  );
}

const tool = (label, text, act) =>
  h("button", { type: "button", class: "tool", "aria-label": label, title: label, onclick: act }, text);

function curveChart(report, model, timeline, state, last) {
  const legend = h("div", { class: "legend" });
  const lines = [];
  model.series.forEach((series, i) => {
    const look = lookOf(model.key, series, i);
    if (series.n >= FEW && look.smooth) {
      lines.push({
        series,
        label: series.label,
        ...look,
        faint: true,
        width: 1,
        dots: false,
        gap: widestGap(series),
        raw: true,
      });
      lines.push({
        series,
        label: series.label,
        ...look,
        quiet: true,
        width: 2,
        strong: true,
        gap: widestGap(series),
        shown: () => smoothedSeries(series, state.share, chart.log),
      });
    } else {
      const dots = SAMPLED.includes(model.key) && !look.plain && isScattered(series, timeline);
      const gap = look.stepped ? Infinity : widestGap(series);
      lines.push({ series, label: series.label, ...look, gap, dots });
    }
  });
  const chart = new Chart(timeline, {
    title: model.title,
    lines,
    log: model.log,
    height: HEIGHTS[model.key] || 120,
    labels: model.key === "loss" || last,
    marks: () => report.marks,
    lettered: model.key === "loss",
    zero: model.key === "rate",
  });
  chart.smoothing = (share) => {
    for (const line of lines) {
      if (line.strong) line.hidden = share === 0 || line.off;
      if (line.raw) {
        line.faint = share !== 0;
        line.width = share === 0 ? 1.4 : 1;
      }
    }
    chart.remake();
  };
  chart.onCursor = fillLegend(legend, chart, model.series, lines, timeline);
  state.charts.push(chart);
  return h(
    "figure",
    { class: "curve", id: `chart-${model.key}` },
    h(
      "figcaption",
      {},
      h("h3", {}, model.title),
      legend,
      lines[0].dots ? h("span", { class: "hint" }, `measured at ${count(lines[0].series.n)} steps`) : null,
      choice(
        `Scale of ${model.title}`,
        [
          [false, "Linear"],
          [true, "Log"],
        ],
        model.log,
        (log) => chart.setLog(log),
      ),
    ),
    chart.figure,
    model.key === "loss" ? letterKey(report.marks, timeline) : null,
  );
}

function lookOf(key, series, i) {
  if (series.name === "clip/threshold") return { colour: "soft", dash: [6, 4], width: 1.4, plain: true };
  if (key === "rate") return { colour: LINES[i % LINES.length], stepped: true };
  const held = series.name.includes("validation");
  return {
    colour: held && i < 2 ? "line-2" : LINES[(held ? i : i && i + 1) % LINES.length],
    dash: held ? [7, 3] : undefined,
    smooth: !held || series.n > 200,
  };
}

// The legend with the values at the cursor. A click on a name hides or shows its line.
function fillLegend(legend, chart, series, lines, timeline) {
  const values = series.map((one, i) => {
    const mine = lines.filter((line) => line.series === one);
    const value = h("b", {});
    const swatch = h("span", { class: mine[0].dash ? "swatch dashed" : "swatch" });
    swatch.style.color = `var(--${mine[0].colour})`;
    const button = h("button", { type: "button", "aria-pressed": "true" }, swatch, one.label, " ", value);
    button.addEventListener("click", () => {
      const on = button.getAttribute("aria-pressed") !== "true";
      button.setAttribute("aria-pressed", String(on));
      for (const line of mine) {
        line.off = !on;
        line.hidden = !on;
      }
      chart.draw();
    });
    legend.append(button);
    return value;
  });
  const where = h("span", { class: "where" });
  legend.prepend(where);
  const tell = (step) => {
    where.textContent = step === null ? "" : `${timeline.unit} ${count(step)}`;
    series.forEach((one, i) => {
      const at = step === null ? one.n - 1 : one.nearest(step);
      values[i].textContent = at < 0 ? "" : chart.format(one.values[at]);
    });
  };
  tell(null);
  return tell;
}

// The curves of several runs in one chart with its own time axis.
function overlaid(title, lines, { log, height, unit, heading = null, marks = [] }) {
  const series = lines.map((line) => line.series);
  const extent = [
    Math.min(...series.map((one) => one.steps[0])),
    Math.max(...series.map((one) => one.steps[one.n - 1])),
  ];
  const chart = new Chart(new Timeline(extent, unit), {
    title,
    height,
    log,
    marks: () => marks,
    lines: lines.map((line) => ({ ...line, gap: widestGap(line.series) })),
  });
  onTheme.push(() => chart.remake());
  const legend = h("div", { class: "legend" });
  chart.onCursor = fillLegend(legend, chart, series, chart.lines, chart.timeline);
  return h("figure", { class: "curve" }, h("figcaption", {}, heading, legend), chart.figure);
}
