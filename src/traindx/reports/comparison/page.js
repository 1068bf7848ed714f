"use strict";
const table = document.getElementById("runs"), body = table.tBodies[0], chart = document.querySelector(".chart");
const names = document.querySelector(".names");
const key = (row, i) => {
  const cell = row.cells[i], sort = cell.dataset.sort;
  return sort === undefined ? cell.textContent.trim().toLowerCase() : Number(sort);
};
const sortBy = (heading) => {
  const i = heading.cellIndex, down = heading.getAttribute("aria-sort") === "ascending" ? -1 : 1;
  for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
  heading.setAttribute("aria-sort", down === 1 ? "ascending" : "descending");
  const rows = [...body.rows].map((row) => [key(row, i), row]);
  rows.sort(([a], [b]) => {
    if (typeof a !== typeof b) return typeof a === "number" ? -1 : 1; // words come after numbers in both orders
    if (a === b) return 0;
    if (a === Infinity || b === Infinity) return a === Infinity ? 1 : -1; // NaN and missing values stay last
    return (a < b ? -1 : 1) * down;
  });
  body.append(...rows.map(([, row]) => row));
};
// On a narrow screen each run is a block of cells that carry their headings (page.css).
for (const row of body.rows) [...row.cells].forEach((cell, i) => { cell.dataset.heading = table.tHead.rows[0].cells[i].textContent; });
for (const heading of table.tHead.rows[0].cells) {
  heading.addEventListener("click", () => sortBy(heading));
  heading.addEventListener("keydown", (event) => { if (event.key === "Enter") sortBy(heading); });
}
const pick = (run) => {
  if (!chart) return; // runs that are not ranked have no common chart
  chart.classList.toggle("picked", run !== undefined);
  for (const line of chart.querySelectorAll(".run")) line.classList.toggle("on", line.dataset.run === run);
};
body.addEventListener("mouseover", (event) => pick(event.target.closest("tr")?.dataset.run));
body.addEventListener("mouseleave", () => pick(undefined));
for (const part of [chart, names]) {
  part?.addEventListener("mouseover", (event) => pick(event.target.closest("[data-run]")?.dataset.run));
  part?.addEventListener("mouseleave", () => pick(undefined));
}
document.getElementById("find").addEventListener("input", (event) => {
  const wanted = event.target.value.toLowerCase();
  for (const row of body.rows) row.hidden = !row.textContent.toLowerCase().includes(wanted);
});
