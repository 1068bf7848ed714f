"""Experiments that test causes which no change of a run cures: one file each, see `treatments._base`."""
