"""Hook points: the only code that wraps torch.

`hooks.py` names the moments of a training and tells observers and drivers of them; `wrapping.py` replaces parts of
torch and puts them back; every other file wraps one part of torch and defines `install(hooks)`.
"""
