"""The full HTML report with charts, in one self-contained file, or updated live during a run.

`model/` turns a run and its diagnosis into one JSON structure (numbers, texts, packed arrays). `static/` holds the
HTML, styles and scripts that draw this structure. `document.py` puts both into one file. `traindx.reports.live` sends
updates to the same page.
"""

from .document import Feed, document
from .model import report

__all__ = ["Feed", "document", "report"]
