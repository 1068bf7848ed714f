"""Reads what was computed from the autograd graph behind a loss, whatever style of code computed it."""
