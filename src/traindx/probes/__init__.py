"""Active tests of the user's own training loop, or of a model and a batch. Each returns its measurements as a `Run`.

`drivers/` holds the code that runs inside the user's script; `launch` starts it there, isolated, and `forking` does
the same faster. `script_check`, `rates` and `layer_look` are whole probes of a script or a checkpoint. Most other
modules are plain functions of a model, a batch and a loss.
"""
