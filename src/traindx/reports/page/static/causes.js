// The causes as cards: evidence, fix, and what to avoid.

function causesPanel(report) {
  const { causes, conditions, symptoms } = report;
  if (!causes.length && !conditions.length && !symptoms.length && !report.next.length) return null;
  const leads = conditions.filter((one) => one.leads),
    beside = conditions.filter((one) => !one.leads),
    full = causes.filter((cause) => cause.open),
    rest = causes.filter((cause) => !cause.open);
  const also = [...beside.map(conditionLine), ...symptoms.map((sign) => h("li", { class: sign.severity }, placed(sign)))];
  return panel(
    "causes",
    leads.length ? "Why" : !causes.length ? "What else was measured" : full.length === 1 ? "Cause" : "Causes",
    leads.map(conditionCard),
    // The fix of the leading cause stands on the first screen.
    full.map((cause, i) => causeCard(i || !report.verdict.fix ? cause : { ...cause, fix: null })),
    also.length
      ? h(
          "div",
          { class: "signs" },
          causes.length || leads.length ? h("h3", {}, "Also measured") : null,
          h("ul", {}, also),
        )
      : null,
    rest.length
      ? h(
          "div",
          { class: "others" },
          h("h3", {}, leads.length ? "What may lie behind it" : full.length ? "Alternatives" : "Possible causes"),
          rest.map(otherCause),
        )
      : null,
    nextCommand(report.next),
  );
}

function conditionCard(condition) {
  return h(
    "article",
    { class: "card" },
    h(
      "header",
      {},
      h("h3", {}, condition.title),
      h("p", { class: "meta" }, confidence(condition), h("code", {}, condition.id)),
    ),
    evidence("Evidence", condition.evidence, "for"),
    avoidList(condition.avoid),
  );
}

function conditionLine(condition) {
  const [first] = condition.evidence;
  const follows = condition.follows ? " (follows from it)" : "";
  return h("li", {}, h("b", {}, `${condition.title}${follows}: `), first ? placed(first) : null);
}

function avoidList(texts) {
  if (!texts.length) return null;
  return h(
    "div",
    { class: "part" },
    h("h4", {}, "Avoid"),
    h(
      "ul",
      { class: "avoid" },
      texts.map((text) => h("li", {}, prose(text))),
    ),
  );
}

function confidence(cause) {
  const bar = h("span", { class: "fill" });
  bar.style.width = `${100 * cause.confidence}%`;
  return h(
    "span",
    { class: "confidence" },
    h("span", { class: "track", "aria-hidden": "true" }, bar),
    h("b", {}, cause.share),
    cause.basis ? ` ${cause.basis}` : "",
  );
}

function causeCard(cause) {
  return h(
    "article",
    { class: cause.additional ? "card additional" : "card" },
    h(
      "header",
      {},
      cause.additional ? h("p", { class: "also" }, "Also, to fix next") : null,
      h("h3", {}, cause.title),
      h("p", { class: "meta" }, confidence(cause), h("code", {}, cause.cause)),
    ),
    evidence("Evidence", cause.evidence, "for"),
    evidence("Against it", cause.against, "against"),
    evidence("Follows from it", cause.follows, "follows"),
    cause.tested ? h("div", { class: "part" }, h("h4", {}, "Tested"), h("p", {}, cause.tested)) : null,
    fixBlock(cause.fix),
    avoidList(cause.avoid),
    cause.verify ? h("div", { class: "part" }, h("h4", {}, "Verify"), h("p", {}, prose(cause.verify))) : null,
    cause.reference ? h("p", { class: "reference" }, cause.reference) : null,
  );
}

function evidence(title, items, kind) {
  if (!items.length) return null;
  return h(
    "div",
    { class: "part" },
    h("h4", {}, title),
    h(
      "ul",
      { class: `evidence ${kind}` },
      items.map((item) => h("li", {}, placed(item))),
    ),
  );
}

// A sentence with a link to the place on the page that shows it.
function placed(item) {
  const { place } = item;
  if (!place) return prose(item.text);
  return [
    prose(item.text),
    " ",
    h(
      "a",
      {
        class: "see",
        "data-panel": place.panel,
        href: `#${PANEL_OF[place.panel] || place.panel}`,
        onclick: (event) => {
          event.preventDefault();
          jump(place);
        },
      },
      `See ${SHOWN_IN[place.panel]}${place.step === null || place.step === undefined ? "" : `, ${shown.report.about.unit} ${count(place.step)}`}`,
    ),
  ];
}

const PANEL_OF = { gradient: "loss", rate: "loss" };
const SHOWN_IN = {
  loss: "the loss",
  gradient: "the gradient norm",
  rate: "the learning rate",
  layers: "the layers",
  timing: "the times",
  data: "the data",
};

function fixBlock(fix) {
  if (!fix) return null;
  const words = { "+": "added", "-": "removed" };
  const lines = fix.lines.map(([mark, text]) => {
    const kind = fix.diff ? { "+": "ins", "-": "del" }[mark] || "span" : "span";
    return h(kind, { class: mark === "@" ? "hunk" : null, title: words[mark] }, fix.diff ? mark + text : text, "\n");
  });
  return h(
    "div",
    { class: "part fix" },
    h("h4", {}, "Fix"),
    h("p", {}, prose(fix.summary), " ", h("small", {}, `(${fix.safety})`)),
    lines.length
      ? h(
          "div",
          { class: "code" },
          h(
            "div",
            { class: "codebar" },
            h("code", {}, fix.where || (fix.diff ? "" : "Pattern to adapt")),
            copyButton(fix.copy, fix.diff ? "the patch" : "the code"),
          ),
          h("pre", { tabindex: "0", "aria-label": fix.diff ? "Patch" : "Code" }, h("span", { class: "lines" }, lines)),
        )
      : null,
  );
}

function otherCause(cause) {
  return h(
    "details",
    { class: "other" },
    h(
      "summary",
      {},
      h("span", { class: "title" }, cause.title, cause.cases ? h("small", {}, ` ${cause.cases}`) : null),
      confidence(cause),
    ),
    evidence("Evidence", cause.evidence, "for"),
    evidence("Against it", cause.against, "against"),
    fixBlock(cause.fix),
    avoidList(cause.avoid),
  );
}

function nextCommand(tests) {
  if (!tests.length) return null;
  const [first, ...rest] = tests;
  return h(
    "div",
    { class: "next" },
    h("h3", {}, "Next"),
    command(first),
    rest.length ? h("details", {}, h("summary", {}, `${rest.length} more`), rest.map(command)) : null,
  );
}

function command(test) {
  return [
    h(
      "div",
      { class: "code" },
      h("pre", { tabindex: "0", "aria-label": "Command" }, h("code", {}, test.command)),
      copyButton(test.command, "the command"),
    ),
    test.why ? h("p", {}, test.why) : null,
  ];
}
