"""Rows of named numbers: collects them in bounded memory, counts steps, splits them into runs."""
