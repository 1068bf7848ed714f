// The first screen: the verdict, the picture that shows it, and the fix or the remedies.

function verdictPanel(report) {
  const { verdict, about } = report;
  document.documentElement.dataset.state = verdict.state;
  return h(
    "section",
    { id: "verdict", class: "hero", "aria-labelledby": "sentence" },
    h("p", { class: "word" }, h("span", { class: "mark", "aria-hidden": "true" }, verdict.mark), verdict.word),
    h("h1", { id: "sentence", class: verdict.title.length > 90 ? "long" : null }, prose(verdict.title)),
    verdict.told ? h("p", { class: "told" }, prose(verdict.told)) : null,
    h(
      "p",
      { class: "details" },
      h("span", { class: "file" }, about.source),
      about.details.map((text) => h("span", {}, text)),
      about.started
        ? h("span", {}, h("time", { datetime: about.started }, new Date(about.started).toLocaleString()))
        : null,
    ),
    h("div", { class: "first" }, picture(report), whatToDo(verdict)),
  );
}

// The control against the treated run, or the loss with the onset. A run in progress has its chart below, which grows.
function picture(report) {
  const { verdict, treatment, curves } = report;
  const trial = verdict.trial === null ? null : treatment.trials[verdict.trial];
  if (trial && trial.curves) return h("div", { class: "picture" }, trialCurves(trial.curves));
  const loss = curves.charts.find((chart) => chart.key === "loss");
  if (!loss || report.about.running || verdict.state === "healthy") return null;
  const lines = loss.series
    .slice(0, 2)
    .map((series, i) => ({ series, label: series.label, width: 1.8, plain: true, ...lookOf("loss", series, i) }));
  const from = verdict.since === null ? "" : `From ${report.about.unit} ${count(verdict.since)}`;
  const marks = from
    ? [{ step: verdict.since, kind: "onset", severity: "critical", text: from, sign: report.verdict.title }]
    : [];
  return h(
    "div",
    { class: "picture" },
    overlaid("Loss", lines, { log: loss.log, height: innerWidth > 640 ? 190 : 150, unit: report.about.unit, marks }),
    from ? h("p", { class: "hint" }, `${from}: the dashed line.`) : null,
  );
}

function whatToDo(verdict) {
  const { do_now: now, fix, remedies } = verdict;
  if (!now.length && !fix && !remedies.length) return null;
  return h(
    "div",
    { class: "todo" },
    now.length
      ? h(
          "div",
          { class: "now" },
          h("h2", {}, "Do now"),
          h(
            "ul",
            {},
            now.map((text) => h("li", {}, prose(text))),
          ),
        )
      : null,
    fixBlock(fix),
    remedies.length
      ? h(
          "div",
          { class: "remedies" },
          h("h2", {}, "Remedies"),
          h(
            "ol",
            {},
            remedies.map((move) =>
              h(
                "li",
                {},
                prose(move.text),
                move.code
                  ? h(
                      "div",
                      { class: "code" },
                      h("pre", { tabindex: "0", "aria-label": "Code" }, h("code", {}, move.code)),
                      copyButton(move.code, "the code"),
                    )
                  : null,
                move.worked ? h("small", {}, " ", prose(move.worked)) : null,
              ),
            ),
          ),
        )
      : null,
  );
}
