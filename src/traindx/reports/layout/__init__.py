"""A page of text: labels on the left, wrapped paragraphs, lists, tables, and curves drawn with characters."""

from .figure import figure
from .folding import cells, fold
from .page import Page
from .table import GAP, row

__all__ = ["GAP", "Page", "cells", "figure", "fold", "row"]
