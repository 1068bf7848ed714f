"""The fast path: what is noted of a training step that no watcher hears of as it happens.

`steps.py` holds such a stretch of steps. The hook points note into it, in a few hundred nanoseconds each, what must be
known of every step; the watchers get it as a whole, by `fast_steps_ended`. `memory.py` reads single numbers for it.
"""
