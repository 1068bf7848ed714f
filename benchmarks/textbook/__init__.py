"""Textbook training logs from written definitions, with their labels."""

from .generate import Case, generate
from .held import HELD_FAMILIES, HELD_FORMATS

__all__ = ["HELD_FAMILIES", "HELD_FORMATS", "Case", "generate"]
