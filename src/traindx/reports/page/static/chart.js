// One chart over steps, drawn by uPlot from what the visible range needs. Charts of one timeline move together.

const AXIS = 58; // pixels left of every chart, so that charts below each other line up

class Timeline {
  constructor(extent, unit) {
    this.unit = unit;
    this.charts = new Set();
    this.extent = [...extent];
    this.from = extent[0];
    this.to = extent[1];
    this.key = `t${Math.random()}`;
    this.listeners = [];
  }

  get whole() { return this.from <= this.extent[0] && this.to >= this.extent[1]; }

  // A run that grows takes the view along where the view shows all of it.
  grow(extent) {
    const whole = this.whole;
    this.extent = extent;
    if (whole) [this.from, this.to] = extent;
    this.redraw();
  }

  show(from, to) {
    const [first, last] = this.extent;
    const width = Math.min(Math.max(to - from, 2), Math.max(last - first, 2));
    const start = Math.min(Math.max(from, first), Math.max(first, last - width));
    [this.from, this.to] = [start, start + width];
    this.redraw();
    for (const tell of this.listeners) tell();
  }

  reset() { this.show(this.extent[0], this.extent[1]); }

  zoom(factor, around = (this.from + this.to) / 2) {
    this.show(around - (around - this.from) * factor, around + (this.to - around) * factor);
  }

  pan(share) { const by = share * (this.to - this.from); this.show(this.from + by, this.to + by); }

  // Brings a step into the middle of the view without changing more than is needed, and points at it.
  point(step) {
    const width = this.to - this.from;
    if (step < this.from + 0.1 * width || step > this.to - 0.1 * width) this.show(step - width / 2, step + width / 2);
    this.pointed = step;
    for (const chart of this.charts) chart.point(step);
  }

  redraw() {
    if (this.waiting) return;
    this.waiting = requestAnimationFrame(() => {
      this.waiting = 0;
      for (const chart of this.charts) chart.draw();
    });
  }
}

// Ticks of a logarithmic axis: powers of ten, or 1, 2, 5 of each where few decades show, or even steps within one.
function logTicks(min, max, most = 6) {
  const decades = Math.log10(max / min);
  if (!(decades > 0)) return [min];
  if (decades < 0.7) return evenTicks(min, max, 4);
  const each = 3 * decades > most ? [1] : [1, 2, 5], stride = Math.max(1, Math.ceil(decades / most));
  const ticks = [];
  for (let power = Math.floor(Math.log10(min)); power <= Math.ceil(Math.log10(max)); power += 1) {
    if (power % stride) continue;
    for (const factor of each) {
      const tick = factor * 10 ** power;
      if (tick >= min && tick <= max) ticks.push(tick);
    }
  }
  return ticks;
}

function evenTicks(min, max, wanted) {
  if (!(max > min)) return [min];
  const rough = (max - min) / wanted, power = 10 ** Math.floor(Math.log10(rough));
  const step = power * [1, 2, 5, 10].find((factor) => factor * power >= rough);
  const ticks = [];
  for (let tick = Math.ceil(min / step) * step; tick <= max + step * 1e-9; tick += step) ticks.push(Math.abs(tick) < step * 1e-9 ? 0 : tick);
  return ticks;
}

// Whether the label of a tick has room before the right edge.
function fits(u, tick, min, max) {
  const left = (u.width - AXIS - 22) * ((max - tick) / (max - min || 1)) + 22;
  return left >= 3.6 * count(tick).length;
}

class Chart {
  // lines: [{series, colour, width, dash, faint, dots, stepped, label}]; `format` writes a value
  constructor(timeline, { title, lines, log = false, height = 200, labels = true, marks = () => [], lettered: withLetters = false, format = num, zero = false }) {
    Object.assign(this, { timeline, title, lines, log, height, labels, marks, format, zero, lettered: withLetters });
    this.figure = h("div", { class: "chart", tabindex: "0", role: "group", "aria-roledescription": "chart", "aria-label": this.describe() });
    this.figure.addEventListener("keydown", (event) => this.key(event));
    this.figure.chart = this;
    timeline.charts.add(this);
    new ResizeObserver(() => this.fit()).observe(this.figure);
  }

  describe() {
    const parts = this.lines.filter((line) => !line.quiet).map(({ series, label }) => {
      if (!series.n) return `${label}: no values`;
      return `${label} from ${this.format(series.values[0])} to ${this.format(series.values[series.n - 1])}`;
    });
    return `${this.title}. ${parts.join("; ")}. Arrow keys move, plus and minus zoom, 0 shows the whole run.`;
  }

  key(event) {
    const act = {
      ArrowLeft: () => this.timeline.pan(-0.2), ArrowRight: () => this.timeline.pan(0.2),
      "+": () => this.timeline.zoom(0.6), "=": () => this.timeline.zoom(0.6), "-": () => this.timeline.zoom(1 / 0.6),
      0: () => this.timeline.reset(), Home: () => this.timeline.reset(),
    }[event.key];
    if (act && !event.ctrlKey && !event.metaKey && !event.altKey) { act(); event.preventDefault(); }
  }

  fit() {
    const width = Math.floor(this.figure.clientWidth);
    if (!width) return;
    if (!this.plot) this.make(width);
    else if (width !== this.plot.width) this.plot.setSize({ width, height: this.height });
    this.draw();
  }

  remake() {
    if (!this.plot) return;
    this.plot.destroy();
    this.plot = null;
    this.fit();
  }

  make(width) {
    const ink = colour("soft"), grid = { stroke: colour("grid"), width: 1 };
    const font = "12px system-ui, sans-serif";
    this.plot = new uPlot({
      width, height: this.height, padding: [this.lettered ? 26 : 12, 22, this.labels ? 0 : 6, 0], legend: { show: false }, pxAlign: 0,
      cursor: {
        sync: { key: this.timeline.key, setSeries: false, scales: ["x", null] },
        drag: { x: true, y: false, setScale: false }, points: { show: false }, y: false,
        bind: { dblclick: () => () => { this.timeline.reset(); return null; } },
      },
      scales: {
        x: { time: false, range: () => [this.timeline.from, Math.max(this.timeline.to, this.timeline.from + 1)] },
        y: { distr: this.log ? 3 : 1, range: () => this.span },
      },
      axes: [
        { show: true, stroke: ink, grid, ticks: { show: false }, font, size: this.labels ? 26 : 0, gap: 4,
          splits: (u, axis, min, max) => evenTicks(min, max, Math.max(3, Math.floor(u.width / 130))).filter((tick) => Number.isInteger(tick) && fits(u, tick, min, max)),
          values: (u, ticks) => (this.labels ? ticks.map(count) : ticks.map(() => "")) },
        { stroke: ink, grid, ticks: { show: false }, font, size: AXIS, gap: 6,
          splits: (u, axis, min, max) => (!this.finite ? [] : this.log ? logTicks(min, max, Math.max(3, Math.floor(this.height / 32))) : evenTicks(min, max, Math.max(3, Math.floor(this.height / 55)))),
          filter: (u, ticks) => ticks, values: (u, ticks) => ticks.map((tick) => this.format(tick, 3)) },
      ],
      series: [{}, ...this.lines.map((line) => this.style(line))],
      hooks: {
        setSelect: [(u) => this.selected(u)],
        setCursor: [(u) => this.moved(u)],
        drawClear: [(u) => drawBehind(u, this)],
        draw: [(u) => drawMarks(u, this)],
      },
    }, this.data(width), this.figure);
    this.plot.over.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
  }

  style(line) {
    const stroke = colour(line.colour) || line.colour;
    const own = line.faint ? `color-mix(in srgb, ${stroke} 38%, ${colour("ground")})` : stroke;
    const drawn = line.stepped ? uPlot.paths.stepped({ align: 1 }) : uPlot.paths.linear();
    return {
      stroke: own, fill: () => (line.dense ? own : null), width: line.dots ? 0 : line.width || 1.6, dash: line.dash,
      spanGaps: false, points: { show: Boolean(line.dots) || (line.series.n < 60 && !line.stepped && !line.plain), size: line.dots ? 4 : 5, fill: stroke, stroke, width: 0 },
      paths: line.dots ? () => null : (u, i, first, last) => (line.dense ? columnPaths(u, i, first, last, line.width || 1.6) : drawn(u, i, first, last)),
    };
  }

  data(width) {
    const columns = Math.max(100, width - AXIS);
    const { from, to } = this.timeline;
    this.broken = [];
    let low = Infinity, high = -Infinity;
    const tables = this.lines.map((line) => {
      const { x, y, broken, dense } = line.hidden ? { x: [], y: [], broken: [] } : reduced(line.shown ? line.shown() : line.series, from, to, columns, line.gap);
      line.dense = Boolean(dense) && !line.stepped && !line.dash;
      if (!line.quiet) this.broken.push(...broken.map((one) => ({ ...one, label: line.label, colour: line.colour })));
      for (let i = 0; i < y.length; i += 1) {
        const value = y[i];
        if (value === null) continue;
        if (this.log && value <= 0) { y[i] = null; continue; }
        if (x[i] < from - 1 || x[i] > to + 1) continue;
        if (value < low) low = value;
        if (value > high) high = value;
      }
      return x.length ? ascending(x, y) : [[from], [null]];
    });
    this.finite = high >= low;
    this.span = this.padded(low, high);
    return uPlot.join(tables); // a null stays a gap; what a series lacks at another's step is skipped
  }

  padded(low, high) {
    if (!(high >= low)) return this.log ? [0.1, 1] : [0, 1]; // nothing finite: an empty frame
    if (this.log) return high > 1.02 * low ? [low / (high / low) ** 0.05, high * (high / low) ** 0.05] : [low / 1.3, high * 1.3];
    if (this.zero && low >= 0) return [0, high > 0 ? 1.06 * high : 1];
    // A range that is a tiny share of the value is rounding, and is drawn as a level line.
    const room = high - low > 1e-4 * Math.abs(high) ? 0.06 * (high - low) : 0.05 * Math.abs(high) || 0.5;
    return [low - room, high + room];
  }

  draw() {
    if (!this.plot) return;
    this.plot.batch(() => {
      this.plot.setData(this.data(this.plot.width), false);
      this.plot.setScale("x", { min: this.timeline.from, max: Math.max(this.timeline.to, this.timeline.from + 1) });
    });
  }

  setLog(log) { this.log = log; this.remake(); }

  selected(u) {
    const { left, width } = u.select;
    if (width > 3) this.timeline.show(u.posToVal(left, "x"), u.posToVal(left + width, "x"));
    u.setSelect({ left: 0, width: 0, top: 0, height: 0 }, false);
  }

  moved(u) {
    const { left } = u.cursor;
    const { pointed } = this.timeline; // a step that was jumped to is named exactly, where a pixel is many steps
    const exact = pointed !== undefined && Math.abs(u.valToPos(pointed, "x") - left) < 1;
    const step = left === undefined || left === null || left < 0 ? null : exact ? pointed : Math.round(u.posToVal(left, "x"));
    if (this.onCursor) this.onCursor(step);
  }

  point(step) {
    if (!this.plot) return;
    this.plot.setCursor({ left: this.plot.valToPos(step, "x"), top: 10 }, true);
    if (this.onCursor) this.onCursor(step);
  }

  // Only a pinch or Ctrl zooms and only a sideways turn pans: the page itself must still scroll.
  wheel(event) {
    if (event.ctrlKey || event.metaKey) {
      const around = this.plot.posToVal(event.offsetX, "x");
      this.timeline.zoom(event.deltaY > 0 ? 1.25 : 0.8, around);
    } else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      this.timeline.pan((event.deltaX || event.deltaY) / 1500);
    } else return;
    event.preventDefault();
  }
}

// A dense line as one upright bar a pixel: what a stroke through all points would show, at a hundredth of its cost.
function columnPaths(u, seriesIndex, first, last, width) {
  const x = u.data[0], y = u.data[seriesIndex], path = new Path2D(), thick = Math.max(1, width * (devicePixelRatio || 1));
  let column = null, low = 0, high = 0, before = null;
  const flush = () => { if (column !== null) path.rect(column, low - thick / 2, Math.max(1, thick / 1.6), high - low + thick); };
  for (let i = first; i <= last; i += 1) {
    const value = y[i];
    if (value === undefined) continue; // another series' step
    if (value === null) { flush(); column = null; before = null; continue; }
    const at = Math.round(u.valToPos(x[i], "x", true)), pos = u.valToPos(value, "y", true);
    if (at !== column) {
      flush();
      // Columns reach as far as their neighbour, so that a steep line has no holes.
      [column, low, high] = [at, before === null ? pos : Math.min(pos, before), before === null ? pos : Math.max(pos, before)];
    } else if (pos < low) low = pos; else if (pos > high) high = pos;
    before = pos;
  }
  flush();
  return { stroke: null, fill: path, clip: null, flags: 0 };
}

// uPlot wants increasing steps; repeated ones (several losses a step) are drawn a hair apart.
function ascending(x, y) {
  for (let i = 1; i < x.length; i += 1) if (x[i] <= x[i - 1]) x[i] = x[i - 1] + 1e-6 * Math.max(1, Math.abs(x[i - 1]));
  return [x, y];
}
