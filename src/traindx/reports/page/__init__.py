"""The page: one report to look at, complete in one file, or fed while a run goes on.

`model/` turns a run and its diagnosis into one plain structure (numbers, texts, packed arrays; JSON can hold it).
`static/` is the page: HTML, styles and scripts that draw such a structure and compute nothing but what drawing needs.
`document.py` puts both into one file. `traindx.reports.live` feeds the same page over a connection.
"""

from .document import Feed, document
from .model import report

__all__ = ["Feed", "document", "report"]
