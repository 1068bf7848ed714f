"""Experiments on causes that no change of a run cures. Each is one file; see `treatments._base`."""
