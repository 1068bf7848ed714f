"""The tools, by theme; see `declaring`."""
