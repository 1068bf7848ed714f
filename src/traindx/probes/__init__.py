"""Active tests: on the user's own loop, or on a model and a batch. Each leaves what it measured in a `Run`.

`drivers/` holds what runs within the user's script; `launch` starts it there, isolated, and `fork_server` starts it
faster. `script_check`, `rates` and `layer_look` make whole probes of a script or a checkpoint. The other modules are
plain functions of a model, a batch and a loss.
"""
