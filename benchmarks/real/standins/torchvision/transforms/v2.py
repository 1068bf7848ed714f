"""The v2 names are the same transforms."""
from . import *  # noqa: F401,F403
from . import functional  # noqa: F401
