"""Cases that experiments have solved on this machine. A diagnosis mentions the one that is most similar."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._lazy import lazy_names

if TYPE_CHECKING:
    from .mention import with_similar_case
    from .store import Case, Effect, History, HistoryError, remember

_OF_STORE = ("Case", "Effect", "History", "HistoryError", "remember")
# Lazy, so that sqlite3 is imported only when there is something to read or write.
__getattr__ = lazy_names(__name__, {**dict.fromkeys(_OF_STORE, ".store"), "with_similar_case": ".mention"})
__all__ = ["Case", "Effect", "History", "HistoryError", "remember", "with_similar_case"]
