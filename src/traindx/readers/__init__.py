"""Read the logs people already have: one module a format, recognised by its content, never by its name.

| package | what it does |
|---|---|
| `formats/` | one module a format: `KIND`, `sniff(source)` (how sure it is, 0 to 1), `read(source, options)` |
| `text/` | what lines of free text say |
| `rows/` | rows of named numbers: what counts steps, where one run ends and the next begins |
| `meaning/` | which column is the training loss, the validation loss, the learning rate |

Most formats turn the file into rows and leave the rest to `rows` and `meaning`. No reader imports torch.

>>> from traindx.readers import read
>>> [run] = read("train.log")              # doctest: +SKIP
>>> run.series("loss/train").values        # doctest: +SKIP
"""

from typing import TYPE_CHECKING

from .._lazy import lazy_names
from .errors import ReaderError
from .options import Options

if TYPE_CHECKING:
    from .reading import principal as principal
    from .reading import read as read
    from .reading import read_text as read_text

__all__ = ["Options", "ReaderError", "principal", "read", "read_text"]

__getattr__ = lazy_names(__name__, {"read": ".reading", "read_text": ".reading", "principal": ".reading"})
