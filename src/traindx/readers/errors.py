"""The errors that reading a log raises. Their messages are written for the user."""


class ReaderError(Exception):
    """A log cannot be read. `str(error)` is one line that says why."""


class UnexpectedContentError(ReaderError):
    """A reader failed with an exception of another kind. Only this file is refused; other files are still read."""


class NotThisFormatError(ReaderError):
    """The file looked like this format but is not of it. The next format that may fit is tried."""
