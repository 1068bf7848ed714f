"""Edits of the user's own source: find the place, change it, and express the change as a unified diff.

`Project` holds the sources beside the script that a run names; `Edits` collects changes and gives the patch.
Everything works on the parsed source and returns None where the place is not certain: a wrong edit costs more
than a pattern that the reader has to adapt.
"""

from .changes import Edits
from .diff import patched_texts
from .project import Project
from .source import Source

__all__ = ["Edits", "Project", "Source", "patched_texts"]
