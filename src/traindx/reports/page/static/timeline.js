// The visible range of steps. All charts of one timeline move together.

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

  get whole() {
    return this.from <= this.extent[0] && this.to >= this.extent[1];
  }

  // Extends the run. If the whole run is visible, the view grows with it.
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

  reset() {
    this.show(this.extent[0], this.extent[1]);
  }

  zoom(factor, around = (this.from + this.to) / 2) {
    this.show(around - (around - this.from) * factor, around + (this.to - around) * factor);
  }

  pan(share) {
    const by = share * (this.to - this.from);
    this.show(this.from + by, this.to + by);
  }

  // Points at a step. Moves the view only if the step is outside it or near its edge.
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
