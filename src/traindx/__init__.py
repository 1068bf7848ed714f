"""traindx tells you why a neural network is not training, proves it by experiment, and says which line to change.

>>> import traindx
>>> run = traindx.load("run.tdx")          # doctest: +SKIP
>>> print(run.diagnose())                  # doctest: +SKIP
"""

from typing import TYPE_CHECKING

from ._lazy import lazy_names
from .record.errors import RecordError

if TYPE_CHECKING:
    from .checks import check as check
    from .diagnosis.gradient_pathology import diagnose_gradient_pathology as diagnose_gradient_pathology
    from .observe.watch import watch as watch
    from .probes.layer_tables import compute_gradient_stats as compute_gradient_stats
    from .probes.rates import lr_range_test as lr_range_test
    from .record.reading import load as load
    from .record.run import Run as Run
    from .recorder.recording import start as start

__version__ = "0.1.0"
__all__ = [
    "RecordError",
    "Run",
    "__version__",
    "check",
    "compute_gradient_stats",
    "diagnose_gradient_pathology",
    "load",
    "lr_range_test",
    "start",
    "watch",
]

__getattr__ = lazy_names(
    __name__,
    {
        "load": ".record.reading",
        "Run": ".record.run",
        "watch": ".observe.watch",
        "start": ".recorder.recording",
        "check": ".checks",
        "lr_range_test": ".probes.rates",
        "compute_gradient_stats": ".probes.layer_tables",
        "diagnose_gradient_pathology": ".diagnosis.gradient_pathology",
        "load_ipython_extension": ".notebook",  # what %load_ext traindx calls
    },
)


def __dir__() -> list[str]:
    """What there is to use, also before it was imported."""
    return sorted(__all__)
