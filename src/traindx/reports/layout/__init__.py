"""A page of text: labels on the left, folded prose, lists, and curves drawn with characters."""

from .figure import figure
from .folding import cells, fold
from .page import MARGIN, Page

__all__ = ["MARGIN", "Page", "cells", "figure", "fold"]
