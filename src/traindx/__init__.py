"""traindx tells you why a neural network is not training, proves it by experiment, and says which line to change.

>>> import traindx
>>> run = traindx.load("run.tdx")          # doctest: +SKIP
>>> print(run.diagnose())                  # doctest: +SKIP
"""

from typing import TYPE_CHECKING

from ._lazy import lazy_names
from .record.errors import RecordError

if TYPE_CHECKING:
    from .observe.watch import watch as watch
    from .record.reading import load as load
    from .record.run import Run as Run

__version__ = "0.1.0"
__all__ = ["RecordError", "Run", "__version__", "load", "watch"]

__getattr__ = lazy_names(__name__, {"load": ".record.reading", "Run": ".record.run", "watch": ".observe.watch"})
