"""Reads existing training logs. Each format has one module, which recognises it by content, never by file name.

| package | what it does |
|---|---|
| `formats/` | one module per format: `KIND`, `sniff(source)` (how sure it is, 0 to 1), `read(source, options)` |
| `text/` | reads lines of free text |
| `rows/` | rows of named numbers: finds the column that counts steps, and where one run ends and the next begins |
| `meaning/` | finds the columns of the training loss, the validation loss, the learning rate |

Most formats turn the file into rows and leave the rest to `rows` and `meaning`. No reader imports torch.

>>> from traindx.readers import read
>>> [run] = read("train.log")              # doctest: +SKIP
>>> run.series("loss/train").values        # doctest: +SKIP
"""

from typing import TYPE_CHECKING

from .._lazy import lazy_names
from .options import Options, ReaderError

if TYPE_CHECKING:
    from .reading import principal as principal
    from .reading import read as read
    from .reading import read_text as read_text

__all__ = ["Options", "ReaderError", "principal", "read", "read_text"]

__getattr__ = lazy_names(__name__, {"read": ".reading", "read_text": ".reading", "principal": ".reading"})
