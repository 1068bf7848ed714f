"""For all tests: a bug in a sign is raised instead of noted."""

import os

os.environ["TRAINDX_STRICT"] = "1"
