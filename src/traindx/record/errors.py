"""The error that reading or creating a record raises. Its message is written for the user."""


class RecordError(Exception):
    """A record cannot be opened or created. `str(error)` is one line that says why."""
