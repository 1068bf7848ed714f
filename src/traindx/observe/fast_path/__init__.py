"""The fast path: what is noted of a training step that watchers are told about only later.

`steps.py` holds a stretch of such steps. While one is going on, each hook point asks it one question (`takes_forward`,
`takes_backward`, …) and announces the moment only if the answer is no. `fast_steps_ended` hands the whole stretch to
the watchers. `optimizers.py` knows what a step can be judged by, `memory.py` reads single numbers.
"""
