"""Causes: knowledge. One cause is one file, and its docstring is its reference page.

See `_base.Cause` for what a cause's module defines.
"""

from ._base import Cause, Fix, Site, all_causes, find_cause
from ._pages import page_names, page_title, read_page

__all__ = ["Cause", "Fix", "Site", "all_causes", "find_cause", "page_names", "page_title", "read_page"]
