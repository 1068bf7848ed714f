// Builds elements and formats texts and numbers. The user's texts become text nodes, never markup.

function h(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "class") element.className = value;
    else if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false || child === "") continue;
    element.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
  return element;
}

// A sentence of the diagnosis; names between backticks become code.
function prose(text) {
  return text.split(/`([^`\n]+)`/).map((part, i) => (i % 2 ? h("code", {}, part) : part));
}

const byId = (id) => document.getElementById(id);

// A number with as many significant digits as in the other reports.
function num(value, digits = 4) {
  if (value === null || value === undefined) return "–";
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "Inf" : "−Inf";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e6 || size < 1e-4) {
    return value
      .toExponential(Math.max(0, digits - 2))
      .replace(/\.?0+e/, "e")
      .replace("e+", "e")
      .replace("-", "−")
      .replace("e-", "e−");
  }
  const text = size >= 10 ** (digits - 1) ? String(Math.round(value)) : String(Number(value.toPrecision(digits)));
  return text.replace("-", "−");
}

const count = (value) => Math.round(value).toLocaleString("en-US");
const percent = (share) =>
  `${share >= 0.1 || share === 0 ? Math.round(100 * share) : Number((100 * share).toPrecision(2))} %`;

function seconds(value) {
  if (value >= 1) return `${num(value, 3)} s`;
  return value >= 1e-3 ? `${num(1e3 * value, 3)} ms` : `${num(1e6 * value, 3)} µs`;
}

function bytes(value) {
  const units = ["B", "kB", "MB", "GB", "TB"];
  let i = 0;
  while (value >= 1000 && i < units.length - 1) {
    value /= 1000;
    i += 1;
  }
  return `${num(value, 3)} ${units[i]}`;
}

function say(text) {
  byId("said").textContent = text;
}

// A button that copies a text. If the browser refuses the clipboard (for a file on disk), it copies by selection.
function copyButton(text, what) {
  const button = h("button", { type: "button", class: "copy", "aria-label": `Copy ${what}` }, "Copy");
  button.addEventListener("click", async () => {
    let done = true;
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      done = copyBySelection(text);
    }
    button.textContent = done ? "Copied" : "Select and press Ctrl+C";
    say(done ? `Copied ${what}` : `Could not copy ${what}`);
    setTimeout(() => {
      button.textContent = "Copy";
    }, 1600);
  });
  return button;
}

function copyBySelection(text) {
  const area = h("textarea", { class: "aside", "aria-hidden": "true" });
  area.value = text;
  document.body.append(area);
  area.select();
  let done = false;
  try {
    done = document.execCommand("copy");
  } catch {
    done = false;
  }
  area.remove();
  return done;
}

// A group of buttons of which one is pressed.
function choice(label, options, chosen, take) {
  const buttons = options.map(([value, words]) => {
    const button = h("button", { type: "button", "aria-pressed": String(value === chosen) }, words);
    button.addEventListener("click", () => {
      for (const other of buttons) other.setAttribute("aria-pressed", String(other === button));
      take(value);
    });
    return button;
  });
  return h("div", { class: "choice", role: "group", "aria-label": label }, buttons);
}

function panel(id, title, ...content) {
  return h(
    "section",
    { id, class: "panel", "aria-labelledby": `${id}-title` },
    h("h2", { id: `${id}-title` }, title),
    content,
  );
}

// A panel without data: one line that says why.
const absentPanel = (id, title, ...words) =>
  h(
    "section",
    { id, class: "panel quiet", "aria-labelledby": `${id}-title` },
    h("h2", { id: `${id}-title` }, title),
    h("p", { class: "absent" }, words),
  );
const smooth = () => (matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth");
