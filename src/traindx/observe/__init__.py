"""Observation: the only room that hooks torch. Turns a live training into a run record, and does no harm.

`hooks.py` keeps the hook points, `wrapping.py` what of torch is replaced; `points/` has one file for each part of torch
that is wrapped; `watchers/` has one file for each thing that is looked at; `session.py` holds what they share;
`runner.py` runs a script as `python` would, and `watch.py` observes from inside a loop.
"""
