"""The HTML page for a run in progress: a small server for one record, reachable only from this machine.

The server uses only the standard library and server-sent events: it has few viewers and needs nothing installed. It
runs in its own process at low priority. SQLite's write-ahead log lets it read the record while the training writes, so
the training never waits for it.
"""

from .alerts import Alert, HookError, hook_of
from .serving import LiveServer, follow

__all__ = ["Alert", "HookError", "LiveServer", "follow", "hook_of"]
