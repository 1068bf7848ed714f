// The layers: heat maps with the module tree, the curve of one layer, and the gradient by depth at any look.

let layersView = null;

function layersPanel(report) {
  layersView = null;
  if (!report.layers) {
    const own = report.about.details[0] === "observed";
    return absentPanel(
      "layers",
      "Layers",
      own
        ? "No layer has been measured yet."
        : [
            "Not recorded: a log does not contain layers. ",
            h("code", {}, "traindx run train.py"),
            " records gradients, updates and activations of every layer.",
          ],
    );
  }
  layersView = new LayersView(report.layers, report.about.unit);
  onTheme.push(() => layersView.paint());
  return layersView.section;
}

class LayersView {
  constructor(model, unit) {
    Object.assign(this, { model, unit, look: null, layer: null });
    this.byKey = Object.fromEntries(model.quantities.map((quantity) => [quantity.key, quantity]));
    this.map = h("div", { class: "heat" });
    this.detail = h("div", { class: "detail" });
    this.depth = depthView(model, unit, (step) => this.mark(step));
    const maps = model.maps.length ? model.maps : model.quantities.map((quantity) => quantity.key);
    this.choose = choice(
      "Quantity",
      maps.map((key) => [key, this.byKey[key].title]),
      maps[0],
      (key) => this.take(key),
    );
    this.section = panel(
      "layers",
      "Layers",
      h("div", { class: "tools" }, this.choose),
      this.map,
      this.detail,
      this.depth,
    );
    new ResizeObserver(() => this.paint()).observe(this.map);
    this.take(maps[0]);
  }

  take(key) {
    this.quantity = this.byKey[key];
    this.root = treeOf(this.quantity.names);
    this.open = opened(this.root);
    this.build();
  }

  // Follows the link of a sentence to the quantity, the layer and the look nearest to the step.
  show({ quantity, layer, step }) {
    if (quantity && this.byKey[quantity] && this.model.maps.includes(quantity)) {
      for (const button of this.choose.children)
        button.setAttribute("aria-pressed", String(button.textContent === this.byKey[quantity].title));
      this.take(quantity);
    }
    const at = this.quantity.names.findIndex((name) => name === layer || name.startsWith(`${layer}.`));
    if (layer && at >= 0) {
      for (let i = 1; i < this.quantity.names[at].split(".").length; i += 1)
        this.open.add(this.quantity.names[at].split(".").slice(0, i).join("."));
      this.select(this.quantity.names[at]);
    }
    if (step !== null && step !== undefined) this.mark(step);
  }

  // Takes over the quantity, open groups and layer of an earlier view, after new looks arrived.
  restore(view) {
    const { key } = view.quantity;
    if (!this.byKey[key]) return;
    for (const button of this.choose.children)
      button.setAttribute("aria-pressed", String(button.textContent === this.byKey[key].title));
    this.take(key);
    this.open = view.open;
    if (view.layer && this.quantity.names.includes(view.layer)) this.select(view.layer);
    else this.build();
  }

  mark(step) {
    let best = 0;
    this.quantity.at.forEach((at, i) => {
      if (Math.abs(at - step) < Math.abs(this.quantity.at[best] - step)) best = i;
    });
    this.look = best;
    this.paint();
  }

  build() {
    this.rows = rowsOf(this.root, this.open);
    this.canvas = h("canvas", {
      role: "img",
      "aria-label": `${this.quantity.title} of ${this.quantity.names.length} layers at ${this.quantity.looks} looks; the buttons beside it name the layers`,
    });
    this.canvas.style.height = `${this.rows.length * ROW}px`;
    this.told = h("p", { class: "told" }, this.quantity.reading);
    this.canvas.addEventListener("mousemove", (event) => this.hover(event));
    this.canvas.addEventListener("mouseleave", () => {
      this.told.textContent = this.quantity.reading;
    });
    this.canvas.addEventListener("click", (event) => this.click(event));
    this.map.replaceChildren(
      h(
        "div",
        { class: "grid", tabindex: "0", role: "group", "aria-label": `${this.quantity.title} by layer` },
        h(
          "div",
          { class: "names" },
          this.rows.map((row) => this.label(row)),
        ),
        h("div", { class: "cells" }, this.canvas, lookAxis(this.quantity)),
      ),
      scaleLegend(this.quantity),
      this.told,
      this.quantity.left_out
        ? h("p", { class: "hint" }, `${count(this.quantity.left_out)} further layers are not shown.`)
        : "",
    );
    this.paint();
  }

  label(row) {
    const { node } = row,
      group = node.children.length > 0;
    const type = this.model.types[group || this.quantity.of === "module" ? node.path : ""];
    const button = h(
      "button",
      {
        type: "button",
        class: "layer",
        title: type ? `${node.path} (${type})` : node.path,
        ...(group
          ? { "aria-expanded": String(this.open.has(node.path)) }
          : { "aria-pressed": String(this.layer === this.quantity.names[node.index]) }),
      },
      h("span", { class: "twig", "aria-hidden": "true" }, group ? (this.open.has(node.path) ? "▾" : "▸") : ""),
      h("span", { class: "own" }, node.label),
      type ? h("span", { class: "type" }, type) : null,
    );
    button.style.paddingLeft = `${0.3 + 0.9 * row.depth}rem`;
    button.addEventListener("click", () =>
      group ? this.toggle(node.path) : this.select(this.quantity.names[node.index]),
    );
    return button;
  }

  toggle(path) {
    if (!this.open.delete(path)) this.open.add(path);
    this.build();
    const again = [...this.map.querySelectorAll(".layer")].find(
      (button) => button.title === path || button.title.startsWith(`${path} (`),
    );
    if (again) again.focus();
  }

  select(name) {
    this.layer = name;
    this.build();
    const index = this.quantity.names.indexOf(name),
      { looks, at, cells } = this.quantity;
    const kept = [...Array(looks).keys()].filter((look) => !Number.isNaN(cells[index * looks + look]));
    const series = new Series(
      name,
      name,
      Float64Array.from(kept, (look) => at[look]),
      Float32Array.from(kept, (look) => cells[index * looks + look]),
    );
    const chart = new Chart(shown.timeline, {
      title: `${this.quantity.title} of ${name}`,
      height: 150,
      log: this.quantity.scale === "log",
      lines: [{ series, label: name, colour: "line-1", dots: series.n > 60, gap: widestGap(series) }],
      format: (value, digits) => (this.quantity.scale === "share" ? percent(value) : num(value, digits)),
    });
    if (this.chart) shown.timeline.charts.delete(this.chart);
    this.chart = chart;
    onTheme.push(() => chart.remake());
    this.detail.replaceChildren(
      h(
        "figure",
        { class: "curve" },
        h(
          "figcaption",
          {},
          h("h3", {}, `${this.quantity.title} of `, h("code", {}, name)),
          h("span", { class: "legend" }, `${kept.length} looks, on the time axis of the loss`),
        ),
        chart.figure,
      ),
      histogramsOf(this.model.histograms, name, this.quantity.of, this.unit),
    );
  }

  at(event) {
    const box = this.canvas.getBoundingClientRect();
    const row = this.rows[Math.floor((event.clientY - box.top) / ROW)];
    const look = Math.min(
      this.quantity.looks - 1,
      Math.max(0, Math.floor(((event.clientX - box.left) / box.width) * this.quantity.looks)),
    );
    return { row, look };
  }

  hover(event) {
    const { row, look } = this.at(event);
    if (!row) return;
    const mean = row.leaves.length > 1 ? `, mean of ${row.leaves.length}` : "";
    this.told.textContent = `${row.node.path}, ${this.unit} ${count(this.quantity.at[look])}: ${write(this.quantity, valueOf(this.quantity, row.leaves, look))}${mean}`;
  }

  click(event) {
    const { row, look } = this.at(event);
    if (!row) return;
    this.look = look;
    if (row.node.index >= 0) this.select(this.quantity.names[row.node.index]);
    else this.paint();
  }

  paint() {
    if (this.canvas)
      heatMap(
        this.quantity,
        this.rows,
        this.canvas,
        this.look === null ? null : Math.min(this.look, this.quantity.looks - 1),
      );
  }
}
