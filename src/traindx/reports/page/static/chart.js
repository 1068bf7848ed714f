// One chart over steps, drawn by uPlot from the points of the visible range.

class Chart {
  // lines: [{series, colour, width, dash, faint, dots, stepped, label}]; `format` turns a value into text
  constructor(
    timeline,
    {
      title,
      lines,
      log = false,
      height = 200,
      labels = true,
      marks = () => [],
      lettered: withLetters = false,
      format = num,
      zero = false,
    },
  ) {
    Object.assign(this, { timeline, title, lines, log, height, labels, marks, format, zero, lettered: withLetters });
    this.figure = h("div", {
      class: "chart",
      tabindex: "0",
      role: "group",
      "aria-roledescription": "chart",
      "aria-label": this.describe(),
    });
    this.figure.addEventListener("keydown", (event) => this.key(event));
    this.figure.chart = this;
    timeline.charts.add(this);
    new ResizeObserver(() => this.fit()).observe(this.figure);
  }

  describe() {
    const parts = this.lines
      .filter((line) => !line.quiet)
      .map(({ series, label }) => {
        if (!series.n) return `${label}: no values`;
        return `${label} from ${this.format(series.values[0])} to ${this.format(series.values[series.n - 1])}`;
      });
    return `${this.title}. ${parts.join("; ")}. Arrow keys move, plus and minus zoom, 0 shows the whole run.`;
  }

  key(event) {
    const act = {
      ArrowLeft: () => this.timeline.pan(-0.2),
      ArrowRight: () => this.timeline.pan(0.2),
      "+": () => this.timeline.zoom(0.6),
      "=": () => this.timeline.zoom(0.6),
      "-": () => this.timeline.zoom(1 / 0.6),
      0: () => this.timeline.reset(),
      Home: () => this.timeline.reset(),
    }[event.key];
    if (act && !event.ctrlKey && !event.metaKey && !event.altKey) {
      act();
      event.preventDefault();
    }
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
    const ink = colour("soft"),
      grid = { stroke: colour("grid"), width: 1 };
    const font = "12px system-ui, sans-serif";
    this.plot = new uPlot(
      {
        width,
        height: this.height,
        padding: [this.lettered ? 26 : 12, 22, this.labels ? 0 : 6, 0],
        legend: { show: false },
        pxAlign: 0,
        cursor: {
          sync: { key: this.timeline.key, setSeries: false, scales: ["x", null] },
          drag: { x: true, y: false, setScale: false },
          points: { show: false },
          y: false,
          bind: {
            dblclick: () => () => {
              this.timeline.reset();
              return null;
            },
          },
        },
        scales: {
          x: { time: false, range: () => [this.timeline.from, Math.max(this.timeline.to, this.timeline.from + 1)] },
          y: { distr: this.log ? 3 : 1, range: () => this.span },
        },
        axes: [
          {
            show: true,
            stroke: ink,
            grid,
            ticks: { show: false },
            font,
            size: this.labels ? 26 : 0,
            gap: 4,
            splits: (u, axis, min, max) =>
              evenTicks(min, max, Math.max(3, Math.floor(u.width / 130))).filter(
                (tick) => Number.isInteger(tick) && fits(u, tick, min, max),
              ),
            values: (u, ticks) => (this.labels ? ticks.map(count) : ticks.map(() => "")),
          },
          {
            stroke: ink,
            grid,
            ticks: { show: false },
            font,
            size: AXIS,
            gap: 6,
            splits: (u, axis, min, max) =>
              !this.finite
                ? []
                : this.log
                  ? logTicks(min, max, Math.max(3, Math.floor(this.height / 32)))
                  : evenTicks(min, max, Math.max(3, Math.floor(this.height / 55))),
            filter: (u, ticks) => ticks,
            values: (u, ticks) => ticks.map((tick) => this.format(tick, 3)),
          },
        ],
        series: [{}, ...this.lines.map((line) => this.style(line))],
        hooks: {
          setSelect: [(u) => this.selected(u)],
          setCursor: [(u) => this.moved(u)],
          drawClear: [(u) => drawBehind(u, this)],
          draw: [(u) => drawMarks(u, this)],
        },
      },
      this.data(width),
      this.figure,
    );
    this.plot.over.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
  }

  style(line) {
    const stroke = colour(line.colour) || line.colour;
    const own = line.faint ? `color-mix(in srgb, ${stroke} 38%, ${colour("ground")})` : stroke;
    const drawn = line.stepped ? uPlot.paths.stepped({ align: 1 }) : uPlot.paths.linear();
    return {
      stroke: own,
      fill: () => (line.dense ? own : null),
      width: line.dots ? 0 : line.width || 1.6,
      dash: line.dash,
      spanGaps: false,
      points: {
        show: Boolean(line.dots) || (line.series.n < 60 && !line.stepped && !line.plain),
        size: line.dots ? 4 : 5,
        fill: stroke,
        stroke,
        width: 0,
      },
      paths: line.dots
        ? () => null
        : (u, i, first, last) =>
            line.dense ? columnPaths(u, i, first, last, line.width || 1.6) : drawn(u, i, first, last),
    };
  }

  data(width) {
    const columns = Math.max(100, width - AXIS);
    const { from, to } = this.timeline;
    this.broken = [];
    let low = Infinity,
      high = -Infinity;
    const tables = this.lines.map((line) => {
      const { x, y, broken, dense } = line.hidden
        ? { x: [], y: [], broken: [] }
        : reduced(line.shown ? line.shown() : line.series, from, to, columns, line.gap);
      line.dense = Boolean(dense) && !line.stepped && !line.dash;
      if (!line.quiet) this.broken.push(...broken.map((one) => ({ ...one, label: line.label, colour: line.colour })));
      for (let i = 0; i < y.length; i += 1) {
        const value = y[i];
        if (value === null) continue;
        if (this.log && value <= 0) {
          y[i] = null;
          continue;
        }
        if (x[i] < from - 1 || x[i] > to + 1) continue;
        if (value < low) low = value;
        if (value > high) high = value;
      }
      return x.length ? ascending(x, y) : [[from], [null]];
    });
    this.finite = high >= low;
    this.span = this.padded(low, high);
    return uPlot.join(tables); // null stays a gap; a step that only another series has becomes undefined
  }

  padded(low, high) {
    if (!(high >= low)) return this.log ? [0.1, 1] : [0, 1]; // nothing finite: an empty frame
    if (this.log)
      return high > 1.02 * low ? [low / (high / low) ** 0.05, high * (high / low) ** 0.05] : [low / 1.3, high * 1.3];
    if (this.zero && low >= 0) return [0, high > 0 ? 1.06 * high : 1];
    // A range that is a tiny share of the value is rounding and is drawn as a flat line.
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

  setLog(log) {
    this.log = log;
    this.remake();
  }

  selected(u) {
    const { left, width } = u.select;
    if (width > 3) this.timeline.show(u.posToVal(left, "x"), u.posToVal(left + width, "x"));
    u.setSelect({ left: 0, width: 0, top: 0, height: 0 }, false);
  }

  moved(u) {
    const { left } = u.cursor;
    const { pointed } = this.timeline; // the exact step after a jump, because one pixel may cover many steps
    const exact = pointed !== undefined && Math.abs(u.valToPos(pointed, "x") - left) < 1;
    const step =
      left === undefined || left === null || left < 0 ? null : exact ? pointed : Math.round(u.posToVal(left, "x"));
    if (this.onCursor) this.onCursor(step);
  }

  point(step) {
    if (!this.plot) return;
    this.plot.setCursor({ left: this.plot.valToPos(step, "x"), top: 10 }, true);
    if (this.onCursor) this.onCursor(step);
  }

  // Only a pinch or Ctrl + wheel zooms and only sideways scrolling pans, so that the page can still scroll.
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
