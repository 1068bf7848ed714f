"""The fast path: what is noted of a training step that watchers are told about only later.

`steps.py` holds a stretch of such steps. The hook points write into it what must be known of every step, in a few
hundred nanoseconds each; `fast_steps_ended` hands the whole stretch to the watchers. `memory.py` reads single numbers.
"""
