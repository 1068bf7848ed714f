// The top of the page: the verdict in one sentence.

function verdictPanel(report) {
  const { verdict, about } = report;
  document.documentElement.dataset.state = verdict.state;
  return h(
    "section",
    { id: "verdict", class: "hero", "aria-labelledby": "sentence" },
    h("p", { class: "word" }, h("span", { class: "mark", "aria-hidden": "true" }, verdict.mark), verdict.word),
    h("h1", { id: "sentence", class: verdict.sentence.length > 110 ? "long" : null }, prose(verdict.sentence)),
    h(
      "p",
      { class: "details" },
      h("span", { class: "file" }, about.source),
      about.details.map((text) => h("span", {}, text)),
      about.started
        ? h("span", {}, h("time", { datetime: about.started }, new Date(about.started).toLocaleString()))
        : null,
    ),
    verdict.do_now.length
      ? h(
          "div",
          { class: "now" },
          h("h2", {}, "Do now"),
          h(
            "ul",
            {},
            verdict.do_now.map((text) => h("li", {}, prose(text))),
          ),
        )
      : null,
  );
}
