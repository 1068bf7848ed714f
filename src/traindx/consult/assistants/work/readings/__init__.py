"""Readings without a command of their own. Each is one file with `read(**arguments)`, which returns plain JSON."""
