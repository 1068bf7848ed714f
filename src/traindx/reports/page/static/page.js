// Assembles the panels and follows links between them.

const PANELS = [
  ["runs", "Runs"],
  ["verdict", "Verdict"],
  ["loss", "Loss"],
  ["layers", "Layers"],
  ["timing", "Time"],
  ["data", "Data"],
  ["treatment", "Treatment"],
  ["compare", "Compare"],
  ["facts", "Facts"],
  ["checks", "Checks"],
];
const shown = { reports: [], listed: [], found: "", report: null, timeline: null };

function show(report) {
  shown.report = report;
  if (shown.timeline) shown.timeline.charts.clear();
  onTheme.length = 0;
  shown.timeline = new Timeline(report.curves.extent, report.about.unit);
  const main = byId("main");
  main.replaceChildren(
    ...[
      alertsBox(),
      runsPanel(shown.reports, shown.listed, report),
      verdictPanel(report),
      report.verdict.trial === null ? null : treatmentPanel(report),
      causesPanel(report),
      curvesPanel(report, shown.timeline),
      layersPanel(report),
      timingPanel(report),
      dataPanel(report),
      report.verdict.trial === null ? treatmentPanel(report) : null,
      comparePanel(shown.reports),
      factsPanel(report),
      checksPanel(report),
    ].filter(Boolean),
  );
  bar();
  document.title = `${report.verdict.word}: ${report.about.name}`;
}

function bar() {
  const present = PANELS.filter(([id]) => byId(id));
  byId("bar").replaceChildren(
    ...[
      h("span", { class: "brand" }, "traindx"),
      shown.reports.length > 1 ? runPicker() : null,
      h(
        "nav",
        { "aria-label": "Sections" },
        present.map(([id, words]) => h("a", { href: `#${id}` }, words)),
      ),
      liveBadge(),
      themeButton(),
    ].filter(Boolean),
  );
}

function runPicker() {
  const select = h(
    "select",
    { "aria-label": "Run" },
    shown.reports.map((report, i) =>
      h("option", { value: i, selected: report === shown.report }, `${report.verdict.mark} ${report.about.name}`),
    ),
  );
  select.addEventListener("change", () => show(shown.reports[Number(select.value)]));
  return select;
}

// Shows the place of a sentence: the panel, the step in its chart, the layer.
function jump(place) {
  const { panel: name, step } = place;
  let target = byId(`chart-${name}`) || byId(name);
  if (name === "layers" && layersView) layersView.show(place);
  if (step !== null && step !== undefined && shown.timeline) shown.timeline.point(step);
  if (!target) return;
  target.scrollIntoView({ behavior: smooth(), block: name === "layers" || name === "data" ? "start" : "center" });
  target.classList.remove("found");
  requestAnimationFrame(() => target.classList.add("found"));
  const focus = target.querySelector(".chart") || target;
  if (!focus.hasAttribute("tabindex")) focus.setAttribute("tabindex", "-1");
  focus.focus({ preventScroll: true });
}

async function start() {
  const content = JSON.parse(byId("content").textContent);
  if (typeof DecompressionStream === "undefined") {
    byId("main").append(
      h(
        "p",
        {},
        "This browser is too old to unpack the charts (it lacks DecompressionStream). ",
        content.reports[0].verdict.sentence,
      ),
    );
    return;
  }
  for (const report of content.reports) {
    report.raw = { ...report };
    await unpackReport(report);
  }
  shown.reports = content.reports;
  shown.listed = content.listed;
  shown.found = content.found;
  show(shown.reports[0]);
  byId("foot").append("Made by traindx. This page is self-contained and loads nothing.");
  if (content.feed) follow(content.feed);
  document.documentElement.dataset.ready = "yes";
}

// Prints in light colours and with all folds open.
addEventListener("beforeprint", () => {
  if (isDark()) {
    document.documentElement.dataset.before = document.documentElement.dataset.theme || "system";
    document.documentElement.dataset.theme = "light";
  }
  for (const fold of document.querySelectorAll("details:not([open])")) {
    fold.dataset.printed = "yes";
    fold.open = true;
  }
  for (const redraw of onTheme) redraw();
  if (shown.timeline) for (const chart of shown.timeline.charts) chart.fit();
});
addEventListener("afterprint", () => {
  for (const fold of document.querySelectorAll("details[data-printed]")) {
    fold.open = false;
    delete fold.dataset.printed;
  }
  const { before } = document.documentElement.dataset;
  if (!before) return;
  if (before === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = before;
  delete document.documentElement.dataset.before;
  for (const redraw of onTheme) redraw();
});
start();
