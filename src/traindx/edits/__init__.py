"""Edits the user's source: finds the place, changes it, and shows the change as a unified diff.

`Project` holds the source files of the script that a run names. `Edits` collects changes and returns the patch. All
functions work on the parsed source and return None if the place is not certain: a wrong edit costs more than a pattern
that the user adapts.
"""

from .calls import (
    KERAS_OPTIMIZER,
    add_element,
    add_keyword,
    argument,
    in_parentheses,
    in_training,
    module_uses,
    opaque,
    operand,
    prefix,
    remove_element,
    remove_keyword,
    rename_call,
    set_argument,
    set_value,
    siblings,
    unwrap_call,
)
from .changes import Edits
from .diff import merged, patched_texts
from .loops import (
    assigned_before,
    backward_calls,
    batch_names,
    first_statement,
    forward_functions,
    loss_assignment,
    loss_of,
    model_in_loop,
    models_called,
    models_near,
    module_name,
    optimizer_in,
    step_calls,
    training_nodes,
    without_gradients,
)
from .project import Project, own_nodes
from .source import Source, callee
from .values import Literal, Option, origin, value_of

__all__ = [
    "Edits", "KERAS_OPTIMIZER", "Literal", "Option", "Project", "Source", "add_element", "add_keyword", "argument",
    "assigned_before", "backward_calls", "batch_names", "callee", "first_statement", "forward_functions",
    "in_parentheses", "in_training", "loss_assignment", "loss_of", "merged", "model_in_loop", "models_called",
    "models_near", "module_name", "module_uses", "opaque", "operand", "optimizer_in", "origin", "own_nodes",
    "patched_texts", "prefix", "remove_element", "remove_keyword", "rename_call", "set_argument", "set_value",
    "siblings", "step_calls", "training_nodes", "unwrap_call", "value_of", "without_gradients",
]  # fmt: skip
