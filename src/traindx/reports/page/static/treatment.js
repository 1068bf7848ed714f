// What controlled re-runs showed: control against treated, with the same seeds.

const OUTCOMES = { cured: "cured", helped: "helped", "no-change": "no change", worse: "worse", failed: "failed" };

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
    treatment.patch
      ? fixBlock({
          summary: "The patch that was proven",
          safety: "tested",
          diff: true,
          where: "",
          copy: treatment.patch,
          lines: treatment.patch
            .trimEnd()
            .split("\n")
            .filter((line) => !/^(---|\+\+\+) /.test(line))
            .map((line) => [line.slice(0, 1) || " ", line.slice(1)]),
        })
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
    trialCurves(trial),
  );
}

// The arms' loss curves, where a trial brings them: {"curves": {"control": [[…], …], "treated": …}}.
function trialCurves(trial) {
  const curves = trial.curves;
  if (!curves || typeof curves !== "object") return null;
  const lines = Object.entries(curves).flatMap(([arm, runs]) =>
    (Array.isArray(runs) ? runs : []).filter(Array.isArray).map((values) => ({
      label: arm,
      colour: arm === "control" ? "line-8" : "line-3",
      dash: arm === "control" ? [6, 4] : undefined,
      series: new Series(arm, arm, Float64Array.from(values.keys()), Float32Array.from(values, Number)),
    })),
  );
  if (!lines.length) return null;
  const timeline = new Timeline([0, Math.max(...lines.map((line) => line.series.n)) - 1], "step");
  const chart = new Chart(timeline, { title: "Loss of the arms", height: 170, lines });
  onTheme.push(() => chart.remake());
  return h(
    "figure",
    { class: "curve" },
    h(
      "figcaption",
      {},
      h("h3", {}, "Loss"),
      h("span", { class: "legend" }, key("line-8", "control"), key("line-3", "treated")),
    ),
    chart.figure,
  );
}
