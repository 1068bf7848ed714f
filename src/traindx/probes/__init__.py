"""Active tests: on the user's own loop, or on a model and a batch. Each leaves what it measured in a `Run`.

`inside/` holds what runs within the user's script; `launch` starts it there. The other modules are plain functions
of a model, a batch and a loss.
"""
