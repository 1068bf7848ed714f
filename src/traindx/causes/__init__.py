"""Causes: knowledge. One cause is one file, and its docstring is its reference page.

See `_base.Cause` for what a cause's module defines.
"""

from ._base import Cause, Fix, Site, all_causes, find_cause
from ._frameworks import in_words_of
from ._known import batch_size, learning_rate
from ._layers import rectified
from ._pages import page_names, page_title, read_page
from ._settings import changed_rate, loader_setting, optimizer_setting

__all__ = [
    "Cause",
    "Fix",
    "Site",
    "all_causes",
    "batch_size",
    "changed_rate",
    "find_cause",
    "in_words_of",
    "learning_rate",
    "loader_setting",
    "optimizer_setting",
    "page_names",
    "page_title",
    "read_page",
    "rectified",
]
