// All runs of a page, as the page got them: worst first. A click shows the run below. Of many runs only the worst are on
// the page in full; the others are lines, which unfold to the command that makes their page.

const A_TABLE = 3; // more runs than this are listed
const A_CROWD = 20; // more can be searched
const AT_ONCE = 300; // lines; more are drawn on demand
const list = { search: "", most: AT_ONCE };

function runsPanel(reports, listed, current) {
  const all = [...reports, ...listed];
  if (all.length <= A_TABLE) return null;
  const box = h("div", { class: "wide runs", tabindex: "0", role: "group", "aria-label": "Runs" });
  const draw = () => {
    const words = list.search.toLowerCase();
    const found = all.filter((one) => !words || textOf(one).includes(words));
    const rows = found.slice(0, list.most).map((one) => (one.command ? runLine(one) : runRow(one, one === current)));
    box.replaceChildren(...rows, ...(found.length > list.most ? [moreButton(found.length, draw)] : []));
    return found.length;
  };
  draw();
  const full = listed.length ? ` The ${count(reports.length)} worst are on this page in full.` : "";
  return panel(
    "runs",
    `${count(all.length)} runs: ${wordsOf(all)}`,
    shown.found ? h("p", {}, shown.found) : null,
    h("p", { class: "hint" }, `Worst first.${full} The bar is the run's length; coloured from where the condition began.`),
    all.length > A_CROWD ? searchField(draw) : null,
    box,
  );
}

const textOf = ({ about, verdict }) => `${verdict.word} ${about.name} ${verdict.title}`.toLowerCase();

function wordsOf(runs) {
  const states = new Map();
  for (const { verdict } of runs) states.set(verdict.word, (states.get(verdict.word) || 0) + 1);
  return [...states].map(([word, n]) => `${count(n)} ${word.toLowerCase()}`).join(", ");
}

function searchField(draw) {
  const field = h("input", { type: "search", "aria-label": "Search the runs", placeholder: "Search", value: list.search });
  field.addEventListener("input", () => {
    list.search = field.value.trim();
    list.most = AT_ONCE;
    say(`${count(draw())} runs`);
  });
  return h("div", { class: "tools" }, field);
}

function moreButton(found, draw) {
  const rest = Math.min(AT_ONCE, found - list.most);
  const more = () => {
    list.most += AT_ONCE;
    draw();
  };
  return h("button", { type: "button", onclick: more }, `Show ${count(rest)} more of ${count(found - list.most)}`);
}

function runRow(report, current) {
  const open = () => {
    show(report);
    byId("verdict").scrollIntoView();
  };
  const state = report.verdict.state;
  const given = { type: "button", class: "run", "data-state": state, "aria-current": current && "true", onclick: open };
  return h("button", given, runCells(report));
}

function runLine(one) {
  return h(
    "details",
    {},
    h("summary", { class: "run", "data-state": one.verdict.state }, runCells(one)),
    h("p", { class: "hint" }, "Not on this page in full. This command makes a page of it:"),
    command({ command: one.command, why: null }),
  );
}

function runCells({ verdict, about }) {
  const bad = verdict.state !== "healthy" && verdict.state !== "cured";
  const from = verdict.since === null || !about.steps ? 0 : Math.min(0.98, verdict.since / about.steps);
  const course = h("span", {});
  course.style.marginLeft = `${(100 * from).toFixed(1)}%`;
  return [
    h("span", { class: "mark" }, verdict.mark),
    h("b", {}, about.name),
    h("span", {}, verdict.title),
    h("span", { class: "course", "aria-hidden": "true" }, bad ? course : null),
    h("span", { class: "hint" }, verdict.told.split(". ")[0]),
  ];
}
