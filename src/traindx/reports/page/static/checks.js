// What was asked and measured, what is normal, and what was not measured, in folds.

function checksPanel(report) {
  const { checks } = report;
  const open = report.verdict.state === "healthy" || report.verdict.state === "inconclusive";
  const trouble = checks.asked.filter((asked) => asked.trouble),
    fine = checks.asked.filter((asked) => !asked.trouble);
  const body = [
    fold(`Questions that point to a problem (${trouble.length})`, trouble.map(question), open),
    fold(
      `Checked and normal (${fine.length + checks.normal.length})`,
      [...fine.map(question), ...checks.normal.map((text) => h("li", {}, prose(text)))],
      report.verdict.state === "healthy",
    ),
    fold(
      `Not measured (${checks.not_measured.length})`,
      checks.not_measured.map((text) => h("li", {}, prose(text))),
      open,
    ),
    fold(
      `Deeper looks (${checks.looks.length})`,
      checks.looks.map((text) => h("li", {}, prose(text))),
      open,
    ),
    fold(
      `Advice (${checks.advice.length})`,
      checks.advice.map((entry) => h("li", {}, prose(entry.text), " ", h("code", {}, entry.cause))),
      open,
    ),
    fold(
      `How the input was read (${report.about.notes.length})`,
      report.about.notes.map((text) => h("li", {}, text)),
      false,
    ),
    fold(
      `Setup (${report.setup.length})`,
      null,
      false,
      report.setup.length
        ? h(
            "dl",
            {},
            report.setup.map(([name, text]) => [h("dt", {}, name), h("dd", {}, text)]),
          )
        : null,
    ),
  ];
  return panel("checks", "Checks", body);
}

function question(asked) {
  return h("li", {}, h("span", { class: "asked" }, asked.question), " ", prose(asked.finding));
}

function fold(title, items, open, content) {
  if (!content && !(items && items.length)) return null;
  return h("details", { class: "fold", open }, h("summary", {}, title), content || h("ul", {}, items));
}
