// Draws a dense line as one vertical bar per pixel: it looks the same as a stroke and is about a hundred times faster.
function columnPaths(u, seriesIndex, first, last, width) {
  const x = u.data[0],
    y = u.data[seriesIndex],
    path = new Path2D(),
    thick = Math.max(1, width * (devicePixelRatio || 1));
  let column = null,
    low = 0,
    high = 0,
    before = null;
  const flush = () => {
    if (column !== null) path.rect(column, low - thick / 2, Math.max(1, thick / 1.6), high - low + thick);
  };
  for (let i = first; i <= last; i += 1) {
    const value = y[i];
    if (value === undefined) continue; // another series' step
    if (value === null) {
      flush();
      column = null;
      before = null;
      continue;
    }
    const at = Math.round(u.valToPos(x[i], "x", true)),
      pos = u.valToPos(value, "y", true);
    if (at !== column) {
      flush();
      // Each column reaches to its neighbour's value, so that a steep line has no holes.
      [column, low, high] = [
        at,
        before === null ? pos : Math.min(pos, before),
        before === null ? pos : Math.max(pos, before),
      ];
    } else if (pos < low) low = pos;
    else if (pos > high) high = pos;
    before = pos;
  }
  flush();
  return { stroke: null, fill: path, clip: null, flags: 0 };
}

// uPlot needs increasing steps, so equal steps (several losses per step) are moved apart by a tiny amount.
function ascending(x, y) {
  for (let i = 1; i < x.length; i += 1) if (x[i] <= x[i - 1]) x[i] = x[i - 1] + 1e-6 * Math.max(1, Math.abs(x[i - 1]));
  return [x, y];
}
