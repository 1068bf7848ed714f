// Follows a run: new points, new findings, alerts. Reconnects after a restart of the server or a sleep.

const QUIET = 15000; // after this many milliseconds without a message, the connection counts as dead
const feedState = {
  on: false,
  connected: false,
  source: null,
  heard: 0,
  tries: 0,
  last: "",
  address: "",
};

function liveBadge() {
  if (!feedState.on) return null;
  return h(
    "span",
    { class: "live", id: "live", role: "status" },
    h("span", { class: "pulse", "aria-hidden": "true" }),
    h("span", { class: "words" }, liveWords()),
  );
}

function liveWords() {
  const over = !shown.report.about.running;
  if (!feedState.connected) return over ? "Ended" : "Reconnecting";
  return over ? "Ended" : "Live";
}

function tellLive() {
  const badge = byId("live");
  if (!badge) return;
  badge.querySelector(".words").textContent = liveWords();
  badge.dataset.state = liveWords().toLowerCase();
}

function alertsBox() {
  const alerts = (shown.report && shown.report.alerts) || [];
  return h(
    "div",
    { id: "alerts" },
    alerts.map((alert) =>
      h(
        "p",
        { class: "alert" },
        h("b", {}, alert.title),
        " ",
        alert.text,
        " ",
        h("small", {}, new Date(1000 * alert.time).toLocaleTimeString()),
        alert.step === null
          ? null
          : [
              " ",
              h(
                "button",
                { type: "button", class: "jump", onclick: () => jump({ panel: "loss", step: alert.step }) },
                "Show",
              ),
            ],
      ),
    ),
  );
}

function follow(feed) {
  Object.assign(feedState, { on: true, last: feed.last, address: feed.address });
  bar();
  connect();
  setInterval(() => {
    if (Date.now() - feedState.heard > QUIET) connect();
  }, 3000);
  addEventListener("online", connect);
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden && Date.now() - feedState.heard > QUIET / 2) connect();
  });
}

function connect() {
  clearTimeout(feedState.retry);
  if (feedState.source) feedState.source.close();
  feedState.heard = Date.now();
  const source = new EventSource(`${feedState.address}&after=${encodeURIComponent(feedState.last)}`);
  feedState.source = source;
  const on = (kind, act) =>
    source.addEventListener(kind, (event) => {
      if (source !== feedState.source) return;
      feedState.heard = Date.now();
      feedState.last = event.lastEventId || feedState.last;
      feedState.tries = 0;
      if (!feedState.connected) {
        feedState.connected = true;
        tellLive();
      }
      enqueue(() => act(JSON.parse(event.data)));
    });
  on("ping", () => {});
  on("points", takePoints);
  on("report", takeReport);
  on("full", takeFull);
  on("alert", (alert) => say(`Alert: ${alert.text}`));
  on("state", () => {});
  source.onerror = () => {
    if (source !== feedState.source) return;
    feedState.connected = false;
    tellLive();
    // The browser reconnects by itself, unless the server answered with an error.
    if (source.readyState === EventSource.CLOSED) {
      feedState.tries += 1;
      feedState.retry = setTimeout(connect, Math.min(10000, 500 * 2 ** Math.min(feedState.tries, 5)));
    }
  };
}

// Runs actions one after the other: unpacking takes a moment, and points must stay in order.
let queue = Promise.resolve();
function enqueue(act) {
  queue = queue.then(act).catch((error) => console.error(error));
}

async function takePoints({ lines, last }) {
  const { report, timeline } = shown;
  for (const line of lines) {
    const [steps, values] = await Promise.all([stepsOf(line.steps, line.n), floats(line.values)]);
    for (const chart of report.curves.charts) {
      const series = chart.series.find((one) => one.name === line.name);
      if (series) series.append(steps, values);
    }
  }
  report.curves.extent[1] = Math.max(report.curves.extent[1], last);
  timeline.grow([...report.curves.extent]);
  for (const chart of timeline.charts) if (chart.onCursor) chart.onCursor(null);
  document.documentElement.dataset.points = String(report.curves.charts[0] ? report.curves.charts[0].series[0].n : 0);
}

// Rebuilds only the panels that have changed, so that the page does not jump while somebody reads it.
async function takeReport(next) {
  const { report } = shown;
  const changed = (name) => JSON.stringify(report.raw[name]) !== JSON.stringify(next[name]);
  const parts = {
    verdict: ["verdict", "about"],
    alerts: ["alerts"],
    causes: ["causes", "conditions", "symptoms", "next"],
    layers: ["layers"],
    timing: ["timing"],
    data: ["data"],
    treatment: ["treatment"],
    checks: ["checks", "setup"],
  };
  const stale = Object.entries(parts)
    .filter(([, names]) => names.some(changed))
    .map(([id]) => id);
  const raw = { ...next };
  await unpackSummary(next);
  Object.assign(report, next, { raw });
  const make = {
    verdict: verdictPanel,
    alerts: alertsBox,
    causes: causesPanel,
    layers: layersPanel,
    timing: timingPanel,
    data: dataPanel,
    treatment: treatmentPanel,
    checks: checksPanel,
  };
  for (const id of stale) renew(id, () => make[id](report));
  renewLetters(report);
  for (const chart of shown.timeline.charts) if (!chart.figure.isConnected) shown.timeline.charts.delete(chart);
  shown.timeline.redraw();
  bar();
  tellLive();
  document.title = `${report.verdict.word}: ${report.about.name}`;
}

function renewLetters(report) {
  const old = document.querySelector("#chart-loss .letters"),
    fresh = letterKey(report.marks, shown.timeline);
  if (old) old.remove();
  if (fresh && byId("chart-loss")) byId("chart-loss").append(fresh);
}

function renew(id, make) {
  const old = byId(id),
    view = layersView;
  const focused = old && old.contains(document.activeElement);
  if (focused && id !== "verdict" && id !== "alerts") return; // in use: wait for the next report
  const open = old
    ? [...old.querySelectorAll("details")].map((fold) => [
        fold.querySelector("summary").textContent.replace(/[\d,]+/g, ""),
        fold.open,
      ])
    : [];
  const fresh = make();
  if (old && fresh) old.replaceWith(fresh);
  else if (old) old.remove();
  else if (fresh) place(id, fresh);
  if (!fresh) return;
  for (const fold of fresh.querySelectorAll("details")) {
    const before = open.find(([words]) => words === fold.querySelector("summary").textContent.replace(/[\d,]+/g, ""));
    if (before) fold.open = before[1];
  }
  if (id === "layers" && view && layersView) layersView.restore(view);
}

const ORDER = ["alerts", "verdict", "causes", "loss", "layers", "timing", "data", "treatment", "compare", "checks"];
function place(id, fresh) {
  const after = ORDER.slice(ORDER.indexOf(id) + 1)
    .map(byId)
    .find(Boolean);
  byId("main").insertBefore(fresh, after || null);
}

async function takeFull(report) {
  const { from, to, whole } = shown.timeline;
  report.raw = { ...report };
  await unpackReport(report);
  shown.reports = [report];
  const top = scrollY;
  show(report);
  if (!whole) shown.timeline.show(from, to);
  scrollTo(0, top);
  tellLive();
}
