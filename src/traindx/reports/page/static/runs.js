// All runs of a page, as the page got them: worst first. A click shows the run below.

const A_TABLE = 3; // more runs than this are listed

function runsPanel(reports, current) {
  if (reports.length <= A_TABLE) return null;
  const states = new Map();
  for (const { verdict } of reports) states.set(verdict.word, (states.get(verdict.word) || 0) + 1);
  const counted = [...states].map(([word, n]) => `${count(n)} ${word.toLowerCase()}`).join(", ");
  return panel(
    "runs",
    `${count(reports.length)} runs: ${counted}`,
    h("p", { class: "hint" }, "Worst first. The bar is the run's length; coloured from where the condition began."),
    h(
      "div",
      { class: "wide runs", tabindex: "0", role: "group", "aria-label": "Runs" },
      reports.map((report) => runRow(report, report === current)),
    ),
  );
}

function runRow(report, current) {
  const { verdict, about } = report;
  const open = () => {
    show(report);
    byId("verdict").scrollIntoView();
  };
  const bad = verdict.state !== "healthy" && verdict.state !== "cured";
  const from = verdict.since === null || !about.steps ? 0 : Math.min(0.98, verdict.since / about.steps);
  const course = h("span", {});
  course.style.marginLeft = `${(100 * from).toFixed(1)}%`;
  return h(
    "button",
    { type: "button", class: "run", "data-state": verdict.state, "aria-current": current && "true", onclick: open },
    h("span", { class: "mark" }, verdict.mark),
    h("b", {}, about.name),
    h("span", {}, verdict.title),
    h("span", { class: "course", "aria-hidden": "true" }, bad ? course : null),
    h("span", { class: "hint" }, verdict.told.split(". ")[0]),
  );
}
