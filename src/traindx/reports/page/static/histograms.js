// The outputs of one layer as a small histogram for each recorded look.

function histogramsOf(byLayer, name, of, unit) {
  const layer = of === "module" ? name : name.split(".").slice(0, -1).join(".");
  const looks = Object.hasOwn(byLayer, layer) ? byLayer[layer] : [];
  if (!looks.length) return "";
  return h(
    "div",
    { class: "histograms" },
    h("h3", {}, "Output of ", h("code", {}, layer)),
    h(
      "ul",
      {},
      looks.map((look) => histogram(look, layer, unit)),
    ),
  );
}

function histogram({ step, low, high, counts }, layer, unit) {
  const most = Math.max(...counts),
    all = counts.reduce((sum, n) => sum + n, 0),
    width = (high - low) / counts.length,
    peak = low + width * counts.indexOf(most);
  const told =
    high > low
      ? `from ${num(low, 3)} to ${num(high, 3)}, most often (${percent(most / all)}) between ${num(peak, 3)} and ${num(peak + width, 3)}`
      : `always ${num(low, 3)}`;
  const bars = h(
    "div",
    { class: "bins", role: "img", "aria-label": `Output of ${layer} at ${unit} ${count(step)}: ${told}`, title: told },
    counts.map((n) => {
      const bar = h("span", {});
      // Every non-empty bin is visible.
      bar.style.height = n ? `max(1px, ${(100 * n) / most}%)` : "0";
      return bar;
    }),
  );
  return h(
    "li",
    {},
    `${unit} ${count(step)}`,
    bars,
    h("div", { class: "ends" }, h("span", {}, num(low, 3)), h("span", {}, high > low ? num(high, 3) : "always")),
  );
}
