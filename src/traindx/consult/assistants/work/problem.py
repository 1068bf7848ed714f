"""What a reading raises when it has nothing to return."""


class Problem(Exception):
    """`str(error)` says in one line what is wrong and what to ask for instead."""
