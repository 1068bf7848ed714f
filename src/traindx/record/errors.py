"""The one error that reading or creating a record raises; its text is a sentence for the user."""


class RecordError(Exception):
    """A record cannot be opened or created. `str(error)` is one clear line."""
