"""Read the logs people already have: one module a format, recognised by its content, never by its name.

A reader module defines `KIND` (the format's name), `sniff(source) -> float` (how sure it is, 0 to 1) and
`read(source, options) -> list[Run]`. Most turn the file into named columns and leave the meaning of names,
the splitting into runs and the vocabulary of the record to `_rows` and `_assemble`. No reader imports torch.

>>> from traindx.readers import read
>>> [run] = read("train.log")              # doctest: +SKIP
>>> run.series("loss/train").values        # doctest: +SKIP
"""

from typing import TYPE_CHECKING

from .._lazy import lazy_names
from ._errors import ReaderError
from ._options import Options

if TYPE_CHECKING:
    from ._read import principal as principal
    from ._read import read as read

__all__ = ["Options", "ReaderError", "principal", "read"]

__getattr__ = lazy_names(__name__, {"read": "._read", "principal": "._read"})
