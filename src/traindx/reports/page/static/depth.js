// The size of the gradient and of the activations from input to output, at one look.

function depthView(model, unit, onLook) {
  const quantities = Object.fromEntries(model.quantities.map((quantity) => [quantity.key, quantity]));
  const gradient = quantities.grad_rms || quantities.grad_norm;
  if (!gradient) return null;
  const weights = new Set(model.weights);
  const rows = gradient.names.map((name, i) => i).filter((i) => !weights.size || weights.has(gradient.names[i]));
  const own = rows.length > 1 ? rows : gradient.names.map((name, i) => i);
  const step = h("output", {}),
    box = h("div", { class: "profiles" });
  const slider = h("input", {
    type: "range",
    min: 0,
    max: gradient.looks - 1,
    value: 0,
    step: 1,
    "aria-label": `Look at which the layers are shown, by ${unit}`,
  });
  const flow = new Profile(
    "Gradient size (RMS) by depth",
    own.map((i) => gradient.names[i]),
    true,
    [gradient.low, gradient.high],
  );
  const spread = activationProfile(quantities);
  const show = (moved) => {
    const look = Number(slider.value),
      at = gradient.at[look];
    step.textContent = `${unit} ${count(at)}`;
    slider.setAttribute("aria-valuetext", step.textContent);
    flow.draw([own.map((i) => gradient.cells[i * gradient.looks + look])]);
    if (spread) spread.at(at);
    if (moved) onLook(at);
  };
  slider.addEventListener("input", () => show(true));
  onTheme.push(() => {
    flow.remake();
    if (spread) spread.profile.remake();
  });
  box.append(flow.figure, spread ? spread.profile.figure : "");
  requestAnimationFrame(() => {
    slider.value = gradient.looks - 1;
    show(false);
  });
  return h(
    "div",
    { class: "depth" },
    h("h3", {}, "From input to output"),
    h("label", { class: "slide" }, h("span", {}, "Look at"), slider, step),
    box,
    h(
      "p",
      { class: "hint" },
      Object.keys(model.histograms).length
        ? "Choose a layer above for histograms of its output."
        : "Activation histograms were not recorded, only statistics of every layer.",
    ),
  );
}

function activationProfile({ act_mean: mean, act_std: std }) {
  if (!mean || !std) return null;
  const names = mean.names.filter((name) => std.names.includes(name));
  const cell = (quantity, name, look) => quantity.cells[quantity.names.indexOf(name) * quantity.looks + look];
  const profile = new Profile("Activations by depth: mean ± standard deviation", names, false, null);
  return {
    profile,
    at: (step) => {
      let look = 0;
      mean.at.forEach((at, i) => {
        if (Math.abs(at - step) < Math.abs(mean.at[look] - step)) look = i;
      });
      const [m, s] = [mean, std].map((quantity) =>
        names.map((name) => cell(quantity, name, Math.min(look, quantity.looks - 1))),
      );
      profile.draw([m, m.map((value, i) => value + s[i]), m.map((value, i) => value - s[i])]);
    },
  };
}

// A chart of values by layer: a line with dots and, if there are three lines, a band between the second and the third.
class Profile {
  constructor(title, names, log, range) {
    Object.assign(this, { title, names, log, range });
    this.box = h("div", { class: "chart", role: "img" });
    this.told = h("span", { class: "legend" });
    this.figure = h("figure", { class: "curve" }, h("figcaption", {}, h("h3", {}, title), this.told), this.box);
    new ResizeObserver(() => this.remake()).observe(this.box);
  }

  draw(lines) {
    this.lines = lines.map((line) =>
      line.map((value) => (Number.isFinite(value) && (!this.log || value > 0) ? value : null)),
    );
    const measured = this.lines[0].filter((value) => value !== null);
    const ends = `${num(measured[0], 3)} at the input, ${num(measured[measured.length - 1], 3)} at the output`;
    this.box.setAttribute(
      "aria-label",
      `${this.title}: ${this.names.length} layers${measured.length ? `, ${ends}` : ""}`,
    );
    this.told.textContent = measured.length
      ? ends
      : lines[0].some((value) => value === 0)
        ? "exactly zero at this look"
        : "not measured at this look";
    if (this.plot) this.plot.setData([this.names.map((_, i) => i), ...this.lines]);
    else this.remake();
  }

  remake() {
    const width = Math.floor(this.box.clientWidth);
    if (!width || !this.lines) return;
    if (this.plot) this.plot.destroy();
    const ink = colour("soft"),
      grid = { stroke: colour("grid"), width: 1 },
      stroke = colour("line-1"),
      font = "12px system-ui, sans-serif";
    const edge = { stroke: "transparent", width: 0, points: { show: false } };
    const scale =
      this.range && this.range[1] > this.range[0]
        ? () => this.range
        : (u, low, high) => (low === null ? [0, 1] : [low - 0.08 * (high - low || 1), high + 0.08 * (high - low || 1)]);
    this.plot = new uPlot(
      {
        width,
        height: 170,
        padding: [10, 22, 0, 0],
        legend: { show: false },
        cursor: { y: false, drag: { x: false, y: false }, points: { show: false } },
        scales: {
          x: { time: false, range: () => [-0.3, this.names.length - 0.7] },
          y: { distr: this.log ? 3 : 1, range: scale },
        },
        axes: [
          {
            stroke: ink,
            grid: { show: false },
            ticks: { show: false },
            font,
            size: 26,
            gap: 4,
            splits: () => this.places(width),
            values: (u, ticks) => ticks.map((i) => shortName(this.names[i])),
          },
          {
            stroke: ink,
            grid,
            ticks: { show: false },
            font,
            size: AXIS,
            gap: 6,
            splits: (u, axis, min, max) => (this.log ? logTicks(min, max) : evenTicks(min, max, 3)),
            filter: (u, ticks) => ticks,
            values: (u, ticks) => ticks.map((tick) => num(tick, 3)),
          },
        ],
        series: [
          {},
          { stroke, width: 1.6, points: { show: true, size: 6, fill: stroke, width: 0 } },
          ...this.lines.slice(1).map(() => edge),
        ],
        bands:
          this.lines.length > 1 ? [{ series: [2, 3], fill: `color-mix(in srgb, ${stroke} 18%, transparent)` }] : [],
        hooks: {
          setCursor: [
            (u) => {
              const i = u.cursor.idx;
              if (i !== null && i !== undefined && this.lines[0][i] !== undefined && u.cursor.left >= 0)
                this.told.textContent = `${this.names[i]}: ${num(this.lines[0][i], 3)}`;
            },
          ],
        },
      },
      [this.names.map((_, i) => i), ...this.lines],
      this.box,
    );
  }

  places(width) {
    const stride = Math.max(1, Math.ceil(this.names.length / Math.max(2, Math.floor((width - AXIS) / 90))));
    return this.names.map((_, i) => i).filter((i) => i % stride === 0);
  }
}

const shortName = (name) => {
  const plain = name.replace(/\.weight$/, "");
  return plain.length > 13 ? `…${plain.slice(-12)}` : plain;
};
