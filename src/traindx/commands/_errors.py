"""The error that a verb raises if it cannot do what the user asked for."""


class CommandError(Exception):
    """`str(error)` is one line; the command line prints it and exits with 2."""
