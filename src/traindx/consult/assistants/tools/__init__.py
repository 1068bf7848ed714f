"""One tool is one file; see `units`."""
