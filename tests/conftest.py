"""What holds for every test."""

from __future__ import annotations

import os

# An error inside a sign is a bug of ours: here it is raised instead of being recorded. Children inherit it.
os.environ["TRAINDX_STRICT"] = "1"
