// The heat map of layers by looks. Every look has one column of equal width, however far apart the looks are.

const ROW = 24; // height in pixels, large enough to touch

function heatMap(quantity, rows, canvas, chosen) {
  const ratio = devicePixelRatio || 1,
    width = canvas.clientWidth;
  if (!width) return;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(rows.length * ROW * ratio);
  const paint = canvas.getContext("2d");
  paint.scale(ratio, ratio);
  const cell = width / quantity.looks,
    none = colour("tint"),
    broken = colour("broken"),
    zero = colour("zero");
  rows.forEach((row, r) => {
    for (let look = 0; look < quantity.looks; look += 1) {
      const value = valueOf(quantity, row.leaves, look);
      paint.fillStyle =
        value === null
          ? none
          : !Number.isFinite(value)
            ? broken
            : shareOf(quantity, value) === null
              ? zero
              : `rgb(${cividis(shareOf(quantity, value))})`;
      paint.fillRect(look * cell, r * ROW + 1, Math.ceil(cell * ratio) / ratio + 0.3, ROW - 2);
    }
  });
  if (chosen !== null) {
    paint.strokeStyle = colour("ink");
    paint.lineWidth = 1.5;
    paint.strokeRect(chosen * cell + 0.75, 0.75, Math.max(3, cell - 1.5), rows.length * ROW - 1.5);
  }
}

// The value of a layer, or the mean of a closed group (of logarithms on a log scale). Infinity if any is infinite.
function valueOf(quantity, leaves, look) {
  let sum = 0,
    have = 0,
    zeros = 0;
  const log = quantity.scale === "log";
  for (const leaf of leaves) {
    const value = quantity.cells[leaf * quantity.looks + look];
    if (Number.isNaN(value)) continue;
    if (!Number.isFinite(value)) return Infinity;
    if (log && value <= 0) {
      zeros += 1;
      continue;
    }
    sum += log ? Math.log(value) : value;
    have += 1;
  }
  if (!have) return zeros ? 0 : null;
  return log ? Math.exp(sum / have) : sum / have;
}

// The place of a value on the colour scale, from 0 to 1; null for zero on a log scale.
function shareOf(quantity, value) {
  const { low, high, scale } = quantity;
  if (scale !== "log") return high > low ? (value - low) / (high - low) : 0.5;
  if (value <= 0) return null;
  return high > low ? Math.log(value / low) / Math.log(high / low) : 0.5;
}

const write = (quantity, value) =>
  value === null
    ? "not measured"
    : quantity.scale === "share"
      ? Number.isFinite(value)
        ? percent(value)
        : "not finite"
      : Number.isFinite(value)
        ? num(value, 3)
        : "not finite";

function scaleLegend(quantity) {
  return h(
    "div",
    { class: "scale" },
    h("span", {}, write(quantity, quantity.low)),
    h("span", { class: "ramp", "aria-hidden": "true" }),
    h("span", {}, write(quantity, quantity.high)),
    h("span", { class: "key none" }, "not measured"),
    quantity.scale === "log" ? h("span", { class: "key zero" }, "zero") : null,
    h("span", { class: "key bad" }, "NaN/Inf"),
  );
}

// The axis below the map: the steps of a few evenly chosen looks, including the first and the last.
function lookAxis(quantity) {
  const axis = h("div", { class: "looks", "aria-hidden": "true" });
  const wanted = Math.min(quantity.looks, 5);
  for (let i = 0; i < wanted; i += 1) {
    const look = wanted === 1 ? 0 : Math.round((i * (quantity.looks - 1)) / (wanted - 1));
    const tick = h("span", {}, count(quantity.at[look]));
    tick.style.left = `${(100 * (look + 0.5)) / quantity.looks}%`;
    axis.append(tick);
  }
  return axis;
}
