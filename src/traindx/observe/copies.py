"""Copies of a model to compute something on, beside a training that must not notice.

A copy carries no hooks but torch's own (weight norm, pruning): a hook of the script would fire more often than the
script expects, and may change state of the original model.
"""

from __future__ import annotations

import copy
from collections import OrderedDict
from functools import partial
from typing import Any

from torch.nn.modules import module as torch_module

from .model_walk import modules

_KINDS = (
    "_forward_hooks",
    "_forward_pre_hooks",
    "_backward_hooks",
    "_backward_pre_hooks",
    "_state_dict_hooks",
    "_state_dict_pre_hooks",
    "_load_state_dict_pre_hooks",
    "_load_state_dict_post_hooks",
)
_GLOBAL = ("_global_forward_hooks", "_global_forward_pre_hooks", "_global_backward_hooks", "_global_backward_pre_hooks")


def _of_torch(hook: Any) -> bool:
    while isinstance(hook, partial):
        hook = hook.func
    module = getattr(hook, "__module__", None) or type(hook).__module__
    return str(module).split(".")[0] == "torch"


def twin_of(root: Any) -> Any:
    """A deep copy without the script's hooks. Raises `ValueError` where the script hooks every module there is."""
    if any(not _of_torch(hook) for kind in _GLOBAL for hook in getattr(torch_module, kind, {}).values()):
        raise ValueError("the script has hooks on every module")
    # deepcopy takes what is in the memo for the copy, so the hooks, and all that they refer to, are not even copied.
    memo: dict[int, Any] = {}
    for module in modules(root):
        for kind in _KINDS:
            hooks = vars(module).get(kind)
            if hooks:
                memo[id(hooks)] = OrderedDict((key, hook) for key, hook in hooks.items() if _of_torch(hook))
    return copy.deepcopy(root, memo)
