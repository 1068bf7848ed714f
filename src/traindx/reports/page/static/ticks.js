// The positions of the numbers on a chart's axes.

const AXIS = 58; // width of the left axis in pixels, the same for all charts so that they line up

// Ticks of a log axis: powers of ten; also 2 and 5 of each if few decades are visible; even steps within one decade.
function logTicks(min, max, most = 6) {
  const decades = Math.log10(max / min);
  if (!(decades > 0)) return [min];
  if (decades < 0.7) return evenTicks(min, max, 4);
  const each = 3 * decades > most ? [1] : [1, 2, 5],
    stride = Math.max(1, Math.ceil(decades / most));
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
  const rough = (max - min) / wanted,
    power = 10 ** Math.floor(Math.log10(rough));
  const step = power * [1, 2, 5, 10].find((factor) => factor * power >= rough);
  const ticks = [];
  for (let tick = Math.ceil(min / step) * step; tick <= max + step * 1e-9; tick += step)
    ticks.push(Math.abs(tick) < step * 1e-9 ? 0 : tick);
  return ticks;
}

// Whether the label of a tick fits before the right edge.
function fits(u, tick, min, max) {
  const left = (u.width - AXIS - 22) * ((max - tick) / (max - min || 1)) + 22;
  return left >= 3.6 * count(tick).length;
}
