"""Observation: the only room that hooks torch. Turns a live training into a run record, and does no harm.

Five parts: `runner/` runs a script as `python` would; `hook_points/` wraps torch and announces the moments of training;
`graph_reading/` reads the autograd graph behind a loss; `watchers/` holds what is measured, a file a theme;
`fast_path/` logs the steps that are not measured in full. `recording.py` puts them together for one run, `session.py`
is what the watchers share, `schedule.py` decides when to measure, and `metric_queue.py` brings numbers to the record.
`watch.py` observes from inside a loop instead of running a script.
"""

from .._builtins import keep_in

keep_in(__path__)
