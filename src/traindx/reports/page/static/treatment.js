// The results of controlled re-runs: control and treated run with the same seeds.

const OUTCOMES = { cured: "cured", proven: "proven", helped: "helped", "no-change": "no change", worse: "worse", failed: "failed" };

function treatmentPanel(report) {
  const { treatment } = report;
  if (!treatment) return null;
  return panel(
    "treatment",
    "Treatment",
    treatment.sentence ? h("p", {}, h("b", {}, treatment.word), ": ", prose(treatment.sentence)) : null,
    treatment.trials.map(trialRow),
    treatment.remarks.length
      ? h(
          "ul",
          {},
          treatment.remarks.map((text) => h("li", {}, prose(text))),
        )
      : null,
  );
}

function trialRow(trial) {
  const effect = trial.effect || trial;
  const numbers = [effect.control, effect.treated].map(Number).filter(Number.isFinite);
  const most = Math.max(...numbers.map(Math.abs), 1e-300);
  const arm = (name, value, line) =>
    value === undefined || value === null
      ? null
      : h(
          "div",
          { class: "bar" },
          h("span", { class: "name" }, name),
          h(
            "span",
            { class: "lengths" },
            Number.isFinite(Number(value)) ? length(Math.abs(Number(value)) / most, line) : null,
          ),
          h("span", { class: "value" }, typeof value === "number" ? num(value) : String(value)),
        );
  return h(
    "article",
    { class: "trial" },
    h(
      "h3",
      {},
      trial.title || trial.intervention || trial.cause,
      " ",
      h("span", { class: `outcome ${trial.verdict || ""}` }, OUTCOMES[trial.verdict] || trial.verdict || ""),
    ),
    h("p", { class: "hint" }, trial.line || [trial.cause, effect.measure].filter(Boolean).join(" · ")),
    h("div", { class: "bars" }, arm("Control", effect.control, "line-8"), arm("Treated", effect.treated, "line-3")),
    trial.curves ? trialCurves(trial.curves) : null,
  );
}

// The losses of both arms in one chart. Dashes distinguish them without colour.
function trialCurves({ log, series }) {
  const looks = { control: { colour: "line-8", dash: [7, 3] }, treated: { colour: "line-3" } };
  const lines = series.map((one) => ({ series: one, label: one.label, width: 1.8, plain: true, ...looks[one.name] }));
  const title = "Training loss, first seed";
  return overlaid(title, lines, { log, height: 180, unit: "step", heading: h("h4", {}, title) });
}
