"""The error of a reading that has nothing to return."""


class Problem(Exception):
    """`str(error)` says in one line what is wrong and what to ask for instead."""
