"""The error a verb raises when the user asked for something that cannot be done."""


class CommandError(Exception):
    """`str(error)` is one clear line; the command line prints it and exits with 2."""
