// The lab report: each measured quantity beside the range of healthy runs, and the wiring, in folds.

function factsPanel(report) {
  const { facts } = report;
  if (!facts) return null;
  const unusual = facts.rows.filter((row) => row.flag),
    usual = facts.rows.filter((row) => !row.flag);
  return panel("facts", "Facts", [
    fold(`Outside the range of 5 to 95 % of healthy runs (${unusual.length})`, null, true, factsTable(unusual)),
    fold(
      `Wiring (${facts.wiring.length})`,
      facts.wiring.map((text) => h("li", {}, text)),
      false,
    ),
    fold(`Within the range, or without one (${usual.length})`, null, false, factsTable(usual)),
  ]);
}

function factsTable(rows) {
  if (!rows.length) return null;
  const names = ["Flag", "Quantity", "Value", "Healthy", "Percentile", "Runs"];
  return h(
    "div",
    { class: "wide", tabindex: "0", role: "group", "aria-label": "Measured quantities" },
    h(
      "table",
      {},
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          names.map((name) => h("th", { scope: "col" }, name)),
        ),
      ),
      h(
        "tbody",
        {},
        rows.map((row) =>
          h(
            "tr",
            {},
            h("td", {}, row.flag),
            h("th", { scope: "row" }, row.where ? `${row.name} (${row.where})` : row.name),
            row.cells.map((cell) => h("td", {}, cell)),
          ),
        ),
      ),
    ),
  );
}
