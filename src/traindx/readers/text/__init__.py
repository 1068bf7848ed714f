"""Reads free text line by line: names, numbers, tables, progress bars, evaluations."""
