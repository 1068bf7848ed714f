"""The full HTML report with charts, in one self-contained file, or updated live during a run.

`model/` turns a run and its diagnosis into one JSON structure (numbers, texts, packed arrays). `static/` holds the
HTML, styles and scripts that draw this structure. `document` puts both into one file, which holds its styles, scripts
and data and loads nothing. `traindx.reports.live` sends updates to the same page.

The page's Content-Security-Policy names its scripts and styles by their hashes, so nothing else can run, and forbids
all connections except to the server of a live page. The user's texts are data inside JSON, escaped so that they cannot
end the script element; the scripts insert them only as text, never as markup.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from ...wording import markup
from .model import brief, report

STATIC = Path(__file__).parent / "static"
STYLES = ("vendor/uPlot.min.css", "colours.css", "page.css", "causes.css", "panels.css", "layers.css", "print.css")
# In order: each script uses only earlier ones while it is loaded.
SCRIPTS = (
    "dom", "arrays", "reduce", "theme", "timeline", "ticks", "columns", "chart", "marks", "curves", "verdict", "causes",
    "checks", "heat", "tree", "histograms", "layers", "depth", "timing", "data", "facts", "treatment",
    "compare", "runs", "live", "page",
)  # fmt: skip
SELF, NOBODY = "'self'", "'none'"
MEANT_BY_HTML = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}


@dataclass(frozen=True)
class Feed:
    """Where a live page gets updates: an address on its own server, and the mark of the last message in the page."""

    address: str
    last: str


def document(
    reports: Sequence[dict[str, Any]],
    feed: Feed | None = None,
    fallback: str = "",
    listed: Sequence[dict[str, Any]] = (),
    found: str = "",
) -> str:
    """The page of one or several runs. `fallback` is HTML for readers without scripts; `listed` are the `brief`s of
    further runs, which the page only lists; `found` sums up what all are in."""
    followed = None if feed is None else {"address": feed.address, "last": feed.last}
    content = {"reports": list(reports), "listed": list(listed), "found": found, "feed": followed}
    verdict = reports[0]["verdict"]
    count = len(reports) + len(listed)
    title = f"{verdict['word']}: {reports[0]['about']['name']}" if count == 1 else f"{count} runs"
    style, library, script = _style(), _library(), _script()
    parts = {
        "policy": policy(live=feed is not None),
        "title": markup(title),
        "style": style,
        "library": library,
        "script": script,
        "fallback": fallback,
        "content": embedded(content),
    }
    # In one pass, so that placeholders inside the user's texts are not replaced.
    return re.sub(r"\{\{(\w+)\}\}", lambda mark: parts[mark[1]], _read("page.html"))


def policy(*, live: bool) -> str:
    """The page's Content-Security-Policy, as a live server also sends it."""
    return (
        f"default-src 'none'; script-src {hashed(_library())} {hashed(_script())}; style-src {hashed(_style())}; "
        f"img-src data:; connect-src {SELF if live else NOBODY}; base-uri 'none'; form-action 'none'"
    )


def embedded(value: Any) -> str:
    """JSON for a script element, with all characters escaped that have a meaning in HTML."""
    text = json.dumps(value, allow_nan=False, separators=(",", ":"), ensure_ascii=False)
    for char, escape in MEANT_BY_HTML.items():
        text = text.replace(char, escape)
    return text.encode("utf-8", "surrogatepass").decode("utf-8", "replace")


@cache
def _read(name: str) -> str:
    return (STATIC / name).read_text(encoding="utf-8")


def _library() -> str:
    return _read("vendor/uPlot.iife.min.js")


@cache
def _style() -> str:
    return "\n".join(map(_read, STYLES))


@cache
def _script() -> str:
    """All scripts of the page inside one function, so that they define no globals."""
    parts = "\n".join(_read(f"{name}.js") for name in SCRIPTS)
    return f'"use strict";\n(() => {{\n{parts}\n}})();\n'


def hashed(text: str) -> str:
    """The source expression that allows exactly this script or style."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode('utf-8')).digest()).decode('ascii')}'"


__all__ = ["Feed", "brief", "document", "hashed", "policy", "report"]
