"""The fast path: logs training steps in a few operations, and reports them to the watchers only later.

`steps.py` holds a stretch of such steps. During a stretch, each hook point asks it one question (`takes_forward`,
`takes_backward`, …) and announces the moment only if the answer is no. `fast_steps_ended` hands the whole stretch to
the watchers. `optimizers.py` knows which gradient element to check at a step.
"""
