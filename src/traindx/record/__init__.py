"""The run record: the data that observing a training passes on to its diagnosis.

A `Run` holds facts, scalar series, per-layer tables and events. Observers write it to a single SQLite file during the
training. Readers and probes build it in memory. Signs and the diagnosis read nothing but a `Run`.
"""

from typing import TYPE_CHECKING

from .._builtins import keep_in
from .._lazy import lazy_names

keep_in(__path__)

from .errors import RecordError  # noqa: E402

if TYPE_CHECKING:
    from .reading import load as load
    from .run import Run as Run
    from .run import RunBuilder as RunBuilder
    from .types import Event as Event
    from .types import LayerTable as LayerTable
    from .types import Series as Series

__all__ = ["Event", "LayerTable", "RecordError", "Run", "RunBuilder", "Series", "load"]

__getattr__ = lazy_names(
    __name__,
    {
        "load": ".reading",
        "Run": ".run",
        "RunBuilder": ".run",
        "Event": ".types",
        "LayerTable": ".types",
        "Series": ".types",
    },
)
