// What is drawn over and under the curves: where trouble began, events, and values that are not finite.

function drawBehind(u, chart) {
  const { ctx, bbox } = u;
  if (!chart.broken.length) return;
  const [first, last] = [chart.broken[0].step, chart.broken[chart.broken.length - 1].step];
  const left = u.valToPos(Math.max(first, chart.timeline.from), "x", true), right = u.valToPos(Math.min(last, chart.timeline.to), "x", true);
  if (right - left < 2) return;
  ctx.save();
  ctx.fillStyle = colour("broken-soft");
  ctx.fillRect(left, bbox.top, right - left, bbox.height);
  ctx.restore();
}

function drawMarks(u, chart) {
  const { ctx, bbox } = u, ratio = devicePixelRatio || 1;
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, 0, bbox.width, bbox.top + bbox.height);
  ctx.clip();
  const shown = chart.marks().filter((mark) => mark.step >= chart.timeline.from && mark.step <= chart.timeline.to);
  for (const mark of shown) {
    const x = u.valToPos(mark.step, "x", true);
    if (mark.kind === "onset") {
      ctx.strokeStyle = colour(mark.severity === "critical" ? "broken" : "doubt");
      ctx.lineWidth = 1.5 * ratio;
      ctx.setLineDash([5 * ratio, 4 * ratio]);
      ctx.beginPath();
      ctx.moveTo(x, bbox.top);
      ctx.lineTo(x, bbox.top + bbox.height);
      ctx.stroke();
      ctx.setLineDash([]);
    } else {
      triangle(ctx, x, bbox.top, 5 * ratio, colour(mark.severity === "critical" ? "broken" : "soft"));
    }
  }
  if (chart.height > 150) captions(u, chart, shown.filter((mark) => mark.kind === "onset"));
  drawBroken(u, chart, ratio);
  ctx.restore();
}

// What begins at an onset, in the sign's own name; the first few, each on a line of its own.
function captions(u, chart, onsets) {
  const named = new Map();
  for (const mark of onsets) named.set(mark.step, [...(named.get(mark.step) || []), mark]);
  const down = chart.broken.length ? 50 : 14;
  [...named].slice(0, 3).forEach(([step, marks], i) => {
    const words = marks[0].sign.replaceAll("-", " ") + (marks.length > 1 ? ` and ${marks.length - 1} more` : "");
    caption(u, step, `${words} from ${chart.timeline.unit} ${count(step)}`, colour(marks[0].severity === "critical" ? "broken" : "doubt"), down + 17 * i);
  });
}

// NaN and infinity as crosses along the top, with a word at the first.
function drawBroken(u, chart, ratio) {
  const { ctx, bbox } = u;
  if (!chart.broken.length) return;
  ctx.strokeStyle = colour("broken");
  ctx.lineWidth = 1.6 * ratio;
  const size = 3.5 * ratio, y = bbox.top + 8 * ratio;
  let before = -Infinity;
  for (const { step } of chart.broken) {
    const x = u.valToPos(step, "x", true);
    if (x - before < 9 * ratio) continue;
    before = x;
    ctx.beginPath();
    ctx.moveTo(x - size, y - size);
    ctx.lineTo(x + size, y + size);
    ctx.moveTo(x - size, y + size);
    ctx.lineTo(x + size, y - size);
    ctx.stroke();
  }
  const first = chart.broken[0];
  const word = Number.isNaN(first.value) ? "NaN" : "Inf";
  const several = chart.broken.length > 1 ? "from" : "at";
  if (chart.height > 100) caption(u, first.step, `${word} ${several} ${chart.timeline.unit} ${count(first.step)}`, colour("broken"), 32);
}

function caption(u, step, text, ink, down) {
  const { ctx, bbox } = u, ratio = devicePixelRatio || 1;
  const x = u.valToPos(step, "x", true);
  const late = x > bbox.left + 0.7 * bbox.width;
  ctx.font = `600 ${12 * ratio}px system-ui, sans-serif`;
  ctx.textAlign = late ? "right" : "left";
  ctx.lineWidth = 4 * ratio;
  ctx.strokeStyle = colour("ground");
  ctx.lineJoin = "round";
  const at = [x + (late ? -7 : 7) * ratio, bbox.top + down * ratio];
  ctx.strokeText(text, ...at);
  ctx.fillStyle = ink;
  ctx.fillText(text, ...at);
}

function triangle(ctx, x, top, size, ink) {
  ctx.fillStyle = ink;
  ctx.beginPath();
  ctx.moveTo(x - size, top - size * 1.4);
  ctx.lineTo(x + size, top - size * 1.4);
  ctx.lineTo(x, top);
  ctx.fill();
}

// The same marks as a list, for people who do not see the chart or want to step through it.
function markList(marks, timeline) {
  if (!marks.length) return null;
  const items = marks.map((mark) => h("li", { class: mark.severity },
    h("button", { type: "button", class: "jump", onclick: () => jump({ panel: "loss", step: mark.step }) }, `${timeline.unit} ${count(mark.step)}`), " ", mark.text));
  return h("details", { class: "fold" }, h("summary", {}, `Onsets and events (${marks.length})`), h("ul", { class: "marks" }, items));
}
