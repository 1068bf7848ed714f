// The training data.

function dataPanel(report) {
  const { data } = report;
  if (!data)
    return absentPanel(
      "data",
      "Data",
      report.about.details[0] === "observed"
        ? "Not recorded: no batch was examined."
        : [
            "Not recorded: a log does not contain batches. ",
            h("code", {}, "traindx run train.py"),
            " examines inputs and targets.",
          ],
    );
  const parts = [
    data.classes ? classBalance(data.classes) : null,
    data.features ? featureScales(data.features) : null,
  ].filter(Boolean);
  return panel(
    "data",
    "Data",
    parts.length ? h("div", { class: "pair" }, parts) : null,
    data.outliers.length
      ? h(
          "div",
          { class: "signs" },
          h("h3", {}, "Outlier batches"),
          h(
            "ul",
            {},
            data.outliers.map((one) =>
              h(
                "li",
                {},
                h(
                  "button",
                  { type: "button", class: "jump", onclick: () => jump({ panel: "loss", step: one.step }) },
                  `${report.about.unit} ${count(one.step)}`,
                ),
                " ",
                one.text,
              ),
            ),
          ),
        )
      : null,
    data.table.rows.length ? dataTable(data.table) : null,
    data.unpacked.length
      ? h(
          "details",
          { class: "fold", ontoggle: () => shown.timeline.charts.forEach((chart) => chart.fit()) },
          h("summary", {}, `Batches over time (${data.unpacked.length})`),
          h(
            "div",
            { class: "pair" },
            data.unpacked.map((series) => sideChart(series.label, series)),
          ),
        )
      : null,
  );
}

function classBalance(classes) {
  const most = Math.max(...classes.rows.map(([, share, predicted]) => Math.max(share, predicted)));
  return h(
    "figure",
    { class: "curve" },
    h(
      "figcaption",
      {},
      h("h3", {}, "Classes"),
      h(
        "span",
        { class: "legend" },
        key("line-1", "share of the training targets"),
        classes.predicted ? key("line-2", "share of the predictions") : null,
      ),
    ),
    h(
      "div",
      { class: "bars", tabindex: "0", role: "group", "aria-label": "Classes" },
      classes.rows.map(([name, share, predicted]) =>
        h(
          "div",
          { class: "bar" },
          h("span", { class: "name" }, name),
          h(
            "span",
            { class: "lengths" },
            length(share / most, "line-1"),
            classes.predicted ? length(predicted / most, "line-2") : null,
          ),
          h("span", { class: "value" }, percent(share), classes.predicted ? ` / ${percent(predicted)}` : ""),
        ),
      ),
    ),
    classes.left_out ? h("p", { class: "hint" }, `${count(classes.left_out)} rarer classes are not shown.`) : null,
  );
}

const key = (name, words) => {
  const swatch = h("span", { class: "swatch" });
  swatch.style.color = `var(--${name})`;
  return h("span", { class: "key" }, swatch, words);
};

function length(share, name) {
  const bar = h("span", { class: "length" });
  bar.style.width = `${Math.max(0.5, 100 * share)}%`;
  bar.style.background = `var(--${name})`;
  return bar;
}

// The standard deviations of the input columns on a log scale: columns of very different scale are hard to learn from.
function featureScales(features) {
  const present = features.std.filter((value) => value > 0);
  const low = Math.min(...present),
    high = Math.max(...present);
  const place = (value) =>
    value > 0 && high > low ? 0.06 + 0.94 * (Math.log(value / low) / Math.log(high / low)) : value > 0 ? 1 : 0;
  return h(
    "figure",
    { class: "curve" },
    h(
      "figcaption",
      {},
      h("h3", {}, "Feature scales"),
      h(
        "span",
        { class: "legend" },
        present.length
          ? `standard deviation from ${num(low, 3)} to ${num(high, 3)}, log scale`
          : "all features are constant",
      ),
    ),
    h(
      "div",
      {
        class: "columns",
        role: "img",
        "aria-label": `Standard deviation of ${features.std.length} features, from ${num(low, 3)} to ${num(high, 3)}`,
      },
      features.std.map((value, i) => {
        const column = h("span", {
          title: `Feature ${i}: standard deviation ${num(value, 3)}${features.mean.length ? `, mean ${num(features.mean[i], 3)}` : ""}`,
        });
        column.style.paddingBottom = `${7 * place(value)}rem`;
        if (!(value > 0)) column.className = "constant";
        return column;
      }),
    ),
  );
}

function dataTable(table) {
  return h(
    "div",
    { class: "wide", tabindex: "0", role: "group", "aria-label": "Statistics of the data" },
    h(
      "table",
      {},
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          h("td", {}),
          table.columns.map((name) => h("th", { scope: "col" }, name)),
        ),
      ),
      h(
        "tbody",
        {},
        table.rows.map(([name, ...cells]) =>
          h(
            "tr",
            {},
            h("th", { scope: "row" }, name),
            cells.map((text) => h("td", {}, text)),
          ),
        ),
      ),
    ),
  );
}
