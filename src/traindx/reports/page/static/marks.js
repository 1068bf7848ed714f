// What is drawn over and under the curves: onsets of symptoms, events, and NaN/Inf.

function drawBehind(u, chart) {
  const { ctx, bbox } = u,
    ratio = devicePixelRatio || 1,
    { from, to } = chart.timeline;
  ctx.save();
  if (chart.broken.length) {
    const left = u.valToPos(Math.max(chart.broken[0].step, from), "x", true),
      right = u.valToPos(Math.min(chart.broken[chart.broken.length - 1].step, to), "x", true);
    ctx.fillStyle = colour("broken-soft");
    if (right - left >= 2) ctx.fillRect(left, bbox.top, right - left, bbox.height);
  }
  // Onsets are drawn under the curves, so that their lines do not hide a spike.
  ctx.lineWidth = (chart.lettered ? 1.5 : 1) * ratio;
  ctx.setLineDash([5 * ratio, 4 * ratio]);
  for (const mark of chart.marks()) {
    if (mark.kind !== "onset" || mark.step < from || mark.step > to) continue;
    const x = u.valToPos(mark.step, "x", true);
    ctx.strokeStyle = colour(mark.severity === "critical" ? "broken" : "doubt");
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
  }
  ctx.restore();
}

function drawMarks(u, chart) {
  const { ctx, bbox } = u,
    ratio = devicePixelRatio || 1;
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left - 8 * ratio, 0, bbox.width + 16 * ratio, bbox.top + bbox.height);
  ctx.clip();
  const shown = chart.marks().filter((mark) => mark.step >= chart.timeline.from && mark.step <= chart.timeline.to);
  for (const mark of shown) {
    const x = u.valToPos(mark.step, "x", true);
    if (mark.kind !== "onset")
      triangle(ctx, x, bbox.top, 5 * ratio, colour(mark.severity === "critical" ? "broken" : "soft"));
  }
  if (chart.lettered)
    for (const { step, letter, severity } of lettered(chart.marks()))
      badge(u, chart, step, letter, colour(severity === "critical" ? "broken" : "doubt"));
  drawBroken(u, chart, ratio);
  ctx.restore();
}

// The onsets by step, each with the letter that identifies it above the chart and in the list below it.
function lettered(marks) {
  const steps = new Map();
  for (const mark of marks) if (mark.kind === "onset") steps.set(mark.step, [...(steps.get(mark.step) || []), mark]);
  return [...steps]
    .sort(([one], [other]) => one - other)
    .slice(0, 12)
    .map(([step, own], i) => ({
      step,
      letter: String.fromCharCode(65 + i),
      own,
      severity: own.some((mark) => mark.severity === "critical") ? "critical" : "warning",
    }));
}

function badge(u, chart, step, letter, ink) {
  const { ctx, bbox } = u,
    ratio = devicePixelRatio || 1;
  const x = u.valToPos(step, "x", true);
  if (x < bbox.left - 1 || x > bbox.left + bbox.width + 1) return;
  ctx.font = `650 ${12 * ratio}px system-ui, sans-serif`;
  ctx.textAlign = "center";
  ctx.fillStyle = ink;
  ctx.fillText(letter, Math.max(x, bbox.left + 6 * ratio), bbox.top - 11 * ratio);
}

// The meaning of the letters; a click on one shows its step.
function letterKey(marks, timeline) {
  const found = lettered(marks);
  if (!found.length) return null;
  return h(
    "ul",
    { class: "letters" },
    found.map(({ step, letter, own, severity }) =>
      h(
        "li",
        {},
        h(
          "button",
          {
            type: "button",
            class: severity,
            title: own.map((mark) => mark.text).join(" "),
            onclick: () => jump({ panel: "loss", step }),
          },
          h("b", {}, letter),
          ` ${[...new Set(own.map((mark) => mark.sign.replaceAll("-", " ")))].join(", ")} from ${timeline.unit} ${count(step)}`,
        ),
      ),
    ),
  );
}

// Draws NaN/Inf as crosses along the top, with a label at the first.
function drawBroken(u, chart, ratio) {
  const { ctx, bbox } = u;
  if (!chart.broken.length) return;
  ctx.strokeStyle = colour("broken");
  ctx.lineWidth = 1.6 * ratio;
  const size = 3.5 * ratio,
    y = bbox.top + 8 * ratio;
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
  if (chart.height > 100)
    caption(u, first.step, `${word} ${several} ${chart.timeline.unit} ${count(first.step)}`, colour("broken"), 32);
}

function caption(u, step, text, ink, down) {
  const { ctx, bbox } = u,
    ratio = devicePixelRatio || 1;
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

// The same marks as a list, for people who cannot see the chart or want to step through it.
function markList(marks, timeline) {
  if (!marks.length) return null;
  const items = marks.map((mark) =>
    h(
      "li",
      { class: mark.severity },
      h(
        "button",
        { type: "button", class: "jump", onclick: () => jump({ panel: "loss", step: mark.step }) },
        `${timeline.unit} ${count(mark.step)}`,
      ),
      " ",
      mark.text,
    ),
  );
  return h(
    "details",
    { class: "fold" },
    h("summary", {}, `Onsets and events (${marks.length})`),
    h("ul", { class: "marks" }, items),
  );
}
