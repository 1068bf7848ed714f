// Unpacks arrays (base64 of compressed little-endian numbers), once, before anything is drawn.

async function inflated(text) {
  const packed = Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).arrayBuffer();
}

async function floats(text) {
  return new Float32Array(await inflated(text));
}

async function stepsOf(packed, length) {
  const steps = new Float64Array(length);
  if (packed.i32 === undefined) {
    for (let i = 0; i < length; i += 1) steps[i] = packed.from + i * packed.by;
    return steps;
  }
  const gaps = new Int32Array(await inflated(packed.i32));
  let at = packed.from;
  for (let i = 0; i < length; i += 1) {
    steps[i] = at;
    at += gaps[i] || 0;
  }
  return steps;
}

// A series that can grow. `steps` and `values` may be longer than `n`.
class Series {
  constructor(name, label, steps, values) {
    this.name = name;
    this.label = label;
    this.steps = steps;
    this.values = values;
    this.n = values.length;
    this.blocks = null; // see reduce.js
    this.smooth = null;
  }

  static async unpacked(line) {
    const [steps, values] = await Promise.all([stepsOf(line.steps, line.n), floats(line.values)]);
    return new Series(line.name, line.label, steps, values);
  }

  append(steps, values) {
    const needed = this.n + steps.length;
    if (needed > this.steps.length) {
      const room = Math.max(1024, 2 * needed);
      const grownSteps = new Float64Array(room),
        grownValues = new Float32Array(room);
      grownSteps.set(this.steps.subarray(0, this.n));
      grownValues.set(this.values.subarray(0, this.n));
      this.steps = grownSteps;
      this.values = grownValues;
    }
    const back = this.n > 0 && steps.length > 0 && steps[0] < this.steps[this.n - 1];
    this.steps.set(steps, this.n);
    this.values.set(values, this.n);
    this.n = needed;
    this.smooth = null;
    if (back) this.sort();
  }

  // Sorts the points after the step counter went back. The cached blocks become invalid.
  sort() {
    const order = [...Array(this.n).keys()].sort((a, b) => this.steps[a] - this.steps[b] || a - b);
    const steps = Float64Array.from(order, (i) => this.steps[i]),
      values = Float32Array.from(order, (i) => this.values[i]);
    this.steps.set(steps);
    this.values.set(values);
    this.blocks = null;
  }

  // The index of the first point whose step is at least `step`.
  find(step) {
    let low = 0,
      high = this.n;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.steps[middle] < step) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  // The index of the point nearest to `step`; -1 for an empty series.
  nearest(step) {
    const at = this.find(step);
    if (at >= this.n) return this.n - 1;
    return at > 0 && step - this.steps[at - 1] < this.steps[at] - step ? at - 1 : at;
  }
}

async function unpackReport(report) {
  for (const chart of report.curves.charts) chart.series = await Promise.all(chart.lines.map(Series.unpacked));
  await unpackSummary(report);
}

async function unpackSummary(report) {
  for (const quantity of (report.layers && report.layers.quantities) || []) {
    quantity.cells = await floats(quantity.values);
    quantity.at = await stepsOf(quantity.steps, quantity.looks);
  }
  const timing = report.timing;
  if (timing && timing.memory)
    timing.memorySeries = await Series.unpacked({ ...timing.memory, name: "memory", label: "Memory" });
  if (timing && timing.step_times)
    timing.stepSeries = await Series.unpacked({ ...timing.step_times, name: "time/total", label: "Time per step" });
  for (const { curves } of (report.treatment && report.treatment.trials) || [])
    if (curves) curves.series = await Promise.all(curves.lines.map(Series.unpacked));
  if (report.data) report.data.unpacked = await Promise.all(report.data.series.map(Series.unpacked));
}
