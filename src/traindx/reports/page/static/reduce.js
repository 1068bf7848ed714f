// Reduces long series to the width of the screen: each pixel column keeps its lowest and highest value, so no spike is
// lost.

const BLOCK = 128;

// For every full block: the indices of its lowest and highest finite value and of its first non-finite value.
function blocksOf(series) {
  const full = Math.floor(series.n / BLOCK);
  const known = series.blocks;
  if (known && known.full === full) return known;
  const grown = { full, low: new Int32Array(full), high: new Int32Array(full), broken: new Int32Array(full) };
  const ready = known ? known.full : 0;
  if (known) {
    grown.low.set(known.low);
    grown.high.set(known.high);
    grown.broken.set(known.broken);
  }
  for (let b = ready; b < full; b += 1) {
    const found = scan(series.values, b * BLOCK, (b + 1) * BLOCK, { low: -1, high: -1, broken: -1 });
    grown.low[b] = found.low;
    grown.high[b] = found.high;
    grown.broken[b] = found.broken;
  }
  series.blocks = grown;
  return grown;
}

function scan(values, from, to, found) {
  let { low, high, broken } = found;
  for (let i = from; i < to; i += 1) {
    const value = values[i];
    if (value - value !== 0) {
      if (broken < 0) broken = i;
      continue;
    } // NaN or infinite
    if (low < 0 || value < values[low]) low = i;
    if (high < 0 || value > values[high]) high = i;
  }
  return { low, high, broken };
}

function extremes(series, from, to) {
  const { values } = series,
    blocks = blocksOf(series);
  let found = { low: -1, high: -1, broken: -1 };
  let i = from;
  while (i < to) {
    const block = Math.floor(i / BLOCK);
    if (i % BLOCK === 0 && i + BLOCK <= to && block < blocks.full) {
      const low = blocks.low[block],
        high = blocks.high[block];
      if (low >= 0 && (found.low < 0 || values[low] < values[found.low])) found.low = low;
      if (high >= 0 && (found.high < 0 || values[high] > values[found.high])) found.high = high;
      if (found.broken < 0) found.broken = blocks.broken[block];
      i += BLOCK;
    } else {
      const end = Math.min(to, (block + 1) * BLOCK);
      found = scan(values, i, end, found);
      i = end;
    }
  }
  return found;
}

// The points between two steps, reduced to `columns`: {x, y, broken: [{step, value}]}; null in y is a gap.
function reduced(series, from, to, columns, gap = Infinity) {
  const first = Math.max(0, series.find(from) - 1),
    last = Math.min(series.n, series.find(to) + 1);
  const x = [],
    y = [],
    broken = [];
  const { steps, values } = series;
  const push = (i) => {
    if (x.length && steps[i] - x[x.length - 1] > gap) {
      x.push((steps[i] + x[x.length - 1]) / 2);
      y.push(null);
    }
    x.push(steps[i]);
    y.push(values[i]);
  };
  const hole = (i) => {
    x.push(steps[i]);
    y.push(null);
    broken.push({ step: steps[i], value: values[i] });
  };
  if (last - first <= 2 * columns) {
    for (let i = first; i < last; i += 1)
      if (values[i] - values[i] !== 0) hole(i);
      else push(i);
    return { x, y, broken };
  }
  gap = Math.max(gap, (8 * (steps[last - 1] - steps[first])) / columns); // reduced points lie further apart
  for (let column = 0; column < columns; column += 1) {
    const a = first + Math.floor((column * (last - first)) / columns);
    const b = first + Math.floor(((column + 1) * (last - first)) / columns);
    if (b <= a) continue;
    const { low, high, broken: bad } = extremes(series, a, b);
    if (low < 0) {
      if (bad >= 0) hole(bad);
      continue;
    }
    if (bad >= 0) broken.push({ step: steps[bad], value: values[bad] });
    push(Math.min(low, high));
    if (low !== high) push(Math.max(low, high));
  }
  return { x, y, broken, dense: true };
}

// The running mean over a share of the points (of logarithms on a log axis). At the ends, the window is smaller.
function smoothedSeries(series, share, log) {
  const key = `${share} ${log} ${series.n}`;
  if (series.smooth && series.smooth.key === key) return series.smooth.line;
  const { n, values } = series;
  const half = Math.max(2, Math.floor((n * share) / 2));
  const sums = new Float64Array(n + 1),
    counts = new Float64Array(n + 1);
  for (let i = 0; i < n; i += 1) {
    const value = values[i];
    const usable = value - value === 0 && (!log || value > 0);
    sums[i + 1] = sums[i] + (usable ? (log ? Math.log(value) : value) : 0);
    counts[i + 1] = counts[i] + (usable ? 1 : 0);
  }
  const means = new Float32Array(n);
  for (let i = 0; i < n; i += 1) {
    const a = Math.max(0, i - half),
      b = Math.min(n, i + half + 1);
    const have = counts[b] - counts[a];
    // If the value itself is missing, so is the mean: the line must not bridge a range of NaN.
    const mean = have && values[i] - values[i] === 0 ? (sums[b] - sums[a]) / have : NaN;
    means[i] = log ? Math.exp(mean) : mean;
  }
  const line = new Series(series.name, series.label, series.steps.subarray(0, n), means);
  series.smooth = { key, line };
  return line;
}

// Whether the values span so wide a range that they need a log axis.
function spansDecades(series) {
  let low = Infinity,
    high = 0;
  for (let i = 0; i < series.n; i += 1) {
    const value = series.values[i];
    if (value <= 0) return false;
    if (value < low) low = value;
    if (value > high && Number.isFinite(value)) high = value;
  }
  return high > 20 * low;
}

// The widest gap in steps that a line may cross: beyond it, nothing is known between two points.
function widestGap(series) {
  if (series.n < 3) return Infinity;
  const stride = Math.max(1, Math.floor(series.n / 2000));
  const gaps = [];
  for (let i = stride; i < series.n; i += stride) gaps.push((series.steps[i] - series.steps[i - stride]) / stride);
  gaps.sort((a, b) => a - b);
  return Math.max(1, 10 * gaps[gaps.length >> 1]);
}

// Whether the points lie in clusters: a line through one would look like a curve that broke off.
function isScattered(series, timeline) {
  const widest = widestGap(series);
  let last = timeline.extent[0];
  for (const step of [...series.steps.subarray(0, series.n), timeline.extent[1]]) {
    if (step - last > widest) return true;
    last = step;
  }
  return false;
}
