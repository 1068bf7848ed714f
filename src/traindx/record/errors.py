"""The error that reading or creating a record raises."""

from ..errors import PlainError


class RecordError(PlainError):
    """A record cannot be opened or created. `str(error)` is one line that says why."""
