"""Tiny stand-in: nothing of it is called."""
