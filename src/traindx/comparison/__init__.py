"""Compares several runs: what differs, which run is best, and which setting explains it.

`gather` reads and diagnoses the runs, `compare` ranks and explains them.
"""

from typing import TYPE_CHECKING

from .._lazy import lazy_names

if TYPE_CHECKING:
    from .outcome import Skipped as Skipped
    from .outcome import gather as gather
    from .outcome import higher_is_better as higher_is_better
    from .ranking import compare as compare
    from .settings import is_number as is_number
    from .settings import short_names as short_names
    from .settings import shown as shown
    from .types import Comparison as Comparison
    from .types import Effect as Effect
    from .types import Entry as Entry
    from .types import Measured as Measured
    from .types import Metric as Metric
    from .types import Outcome as Outcome

_WHERE = {
    **dict.fromkeys(("Skipped", "gather", "higher_is_better"), ".outcome"),
    **dict.fromkeys(("is_number", "short_names", "shown"), ".settings"),
    **dict.fromkeys(("Comparison", "Effect", "Entry", "Measured", "Metric", "Outcome"), ".types"),
    "compare": ".ranking",
}
__all__ = [*_WHERE]

# Lazy, because the tests of settings need scipy, and most commands use only the names.
__getattr__ = lazy_names(__name__, _WHERE)
