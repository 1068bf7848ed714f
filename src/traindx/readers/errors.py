"""The errors that reading a log raises; their texts are sentences for the user."""


class ReaderError(Exception):
    """A log cannot be read. `str(error)` is one clear line."""


class UnexpectedContentError(ReaderError):
    """A reader failed in a way that it does not know: the file is refused, the others are read."""


class NotThisFormatError(ReaderError):
    """The file looked like a format and is not: the next format that may fit is tried."""
