"""Rows of named numbers: collecting them in bounded memory, counting steps, splitting them into runs."""
