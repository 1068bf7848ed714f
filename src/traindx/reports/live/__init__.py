"""The page, following a run in progress: a small server for one record on this machine alone.

The standard library serves it: a handful of viewers, one way to send (server-sent events), nothing to install. It runs
in a process of its own at low priority and reads the record beside its writer (SQLite's write-ahead log lets both work
at once), so that a training never waits for it.
"""

from .alerts import Alert
from .hooks import HookError, hook_of
from .serving import LiveServer, follow

__all__ = ["Alert", "HookError", "LiveServer", "follow", "hook_of"]
