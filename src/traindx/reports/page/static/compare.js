// The curves of several runs in one chart, and what differs between the runs.

function comparePanel(reports) {
  if (reports.length < 2 || reports.length > LINES.length) return null; // more have no colours of their own
  const box = h("div", {});
  const draw = (name) => {
    const lines = reports
      .map((report, i) => ({ report, series: lineOf(report, name), colour: LINES[i % LINES.length] }))
      .filter((line) => line.series);
    const log = reports.some((report) => report.curves.charts.some((one) => one.key === "loss" && one.log));
    box.replaceChildren(
      overlaid(
        "Runs compared",
        lines.map(({ report, series, colour: ink }) => ({
          series,
          label: report.about.name,
          colour: ink,
          width: 1.8,
          shown: () => (series.n < FEW ? series : smoothedSeries(series, 0.04, log)),
        })),
        { log, height: 320, unit: reports[0].about.unit },
      ),
    );
  };
  const names = [
    ["loss/train", "Training loss"],
    ["loss/validation", "Validation loss"],
  ].filter(([name]) => reports.filter((report) => lineOf(report, name)).length > 1);
  if (names.length) draw(names[0][0]);
  return panel(
    "compare",
    "Compare",
    names.length > 1 ? h("div", { class: "tools" }, choice("Curve", names, names[0][0], draw)) : null,
    box,
    differences(reports),
  );
}

// A series of one run, labelled with the run's name, which the legend shows.
function lineOf(report, name) {
  for (const chart of report.curves.charts) {
    const found = chart.series.find((series) => series.name === name);
    if (found && found.n) {
      return new Series(name, report.about.name, found.steps.subarray(0, found.n), found.values.subarray(0, found.n));
    }
  }
  return null;
}

// The settings that differ, and how each run ended.
function differences(reports) {
  const settings = new Map();
  reports.forEach((report, i) => {
    for (const [name, text] of report.setup) {
      if (!settings.has(name)) settings.set(name, Array(reports.length).fill(""));
      settings.get(name)[i] = text;
    }
  });
  const rows = [...settings].filter(([, texts]) => new Set(texts).size > 1).slice(0, 30);
  const final = (report, name) => {
    const line = lineOf(report, name);
    return line ? num(line.values[line.n - 1]) : "–";
  };
  const facts = [
    ["Verdict", reports.map((report) => `${report.verdict.mark} ${report.verdict.word}`)],
    ["Steps", reports.map((report) => count(report.about.steps))],
    ["Last training loss", reports.map((report) => final(report, "loss/train"))],
    ["Last validation loss", reports.map((report) => final(report, "loss/validation"))],
    ["Leading cause", reports.map((report) => (report.causes[0] ? report.causes[0].title : "–"))],
    ...rows,
  ];
  return h(
    "div",
    { class: "wide compared", tabindex: "0", role: "group", "aria-label": "Differences between the runs" },
    h(
      "table",
      { role: "table" }, // roles by name: narrow, the style stacks the cells, and browsers forget that it is a table
      h(
        "thead",
        { role: "rowgroup" },
        h(
          "tr",
          { role: "row" },
          h("td", { role: "cell" }),
          reports.map((report) => h("th", { scope: "col", role: "columnheader" }, report.about.name)),
        ),
      ),
      h(
        "tbody",
        { role: "rowgroup" },
        facts.map(([name, texts]) =>
          h(
            "tr",
            { role: "row" },
            h("th", { scope: "row", role: "rowheader" }, name),
            texts.map((text, i) => h("td", { role: "cell", "data-run": reports[i].about.name }, text)),
          ),
        ),
      ),
    ),
  );
}
