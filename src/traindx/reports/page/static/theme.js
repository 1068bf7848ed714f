// Light or dark colours, by default those of the system. The choice is not stored.

const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
const LINES = ["line-1", "line-2", "line-3", "line-4", "line-5", "line-6", "line-7", "line-8"];
const onTheme = [];

function isDark() {
  const set = document.documentElement.dataset.theme;
  return set ? set === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

function themeButton() {
  const words = () => (isDark() ? "Light" : "Dark");
  const button = h("button", { type: "button", class: "plain", id: "theme" });
  const label = () => {
    button.textContent = words();
    button.setAttribute("aria-label", `Switch to ${words().toLowerCase()} colours`);
  };
  label();
  button.addEventListener("click", () => {
    document.documentElement.dataset.theme = isDark() ? "light" : "dark";
    label();
    for (const redraw of onTheme) redraw();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    label();
    for (const redraw of onTheme) redraw();
  });
  return button;
}

// Cividis looks the same with every kind of colour vision (Nuñez, Anderton and Renslow, 2018).
const CIVIDIS = [
  [0, 34, 78],
  [18, 53, 112],
  [59, 73, 108],
  [87, 93, 109],
  [112, 113, 115],
  [138, 134, 120],
  [165, 156, 116],
  [195, 179, 105],
  [225, 204, 85],
  [254, 232, 56],
];

function cividis(share) {
  const at = Math.min(1, Math.max(0, share)) * (CIVIDIS.length - 1);
  const low = Math.min(CIVIDIS.length - 2, Math.floor(at)),
    rest = at - low;
  return CIVIDIS[low].map((part, i) => Math.round(part + rest * (CIVIDIS[low + 1][i] - part)));
}
