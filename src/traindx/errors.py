"""The errors that tell the user what is wrong."""


class PlainError(Exception):
    """`str(error)` is one line for the user. The command line prints it and exits with 2; other errors are bugs."""
