"""Edits the user's source: finds the place, changes it, and shows the change as a unified diff.

`Project` holds the source files of the script that a run names. `Edits` collects changes and returns the patch. All
functions work on the parsed source and return None if the place is not certain: a wrong edit costs more than a pattern
that the user adapts.
"""

from .changes import Edits
from .diff import patched_texts
from .project import Project
from .source import Source

__all__ = ["Edits", "Project", "Source", "patched_texts"]
