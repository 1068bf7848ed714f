"""The handbook's build: `make docs`. Warnings are errors there; see `_extensions` for what is generated."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "_extensions"))

import traindx

project = "traindx"
author = "the traindx authors"
copyright = "the traindx authors, Apache-2.0"
version = release = traindx.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "unit_pages"]
exclude_patterns = ["_build", "_extensions"]
source_suffix = {".md": "markdown"}
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3
nitpicky = False  # autodoc's type names point into torch and numpy, which are not built here

autodoc_typehints = "description"
autodoc_member_order = "bysource"

html_theme = "furo"
html_title = "traindx"
html_copy_source = False
html_show_sphinx = False
