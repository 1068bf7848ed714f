"""Readings that have no verb of the command line: one file each, with `read(**arguments)` that returns plain JSON."""
