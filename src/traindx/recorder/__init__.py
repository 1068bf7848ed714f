"""Records a training of any framework, from a few calls in its loop: `traindx.start`. Never imports torch.

`recording.py` is the object that the script calls, `layers.py` brings what it is given to NumPy and computes the
per-layer quantities of docs/record.md. What logged names mean is decided when the record is read.
"""

from .._builtins import keep_in

keep_in(__path__)
