"""The one error that reading a log raises; its text is a sentence for the user."""


class ReaderError(Exception):
    """A log cannot be read. `str(error)` is one clear line."""
