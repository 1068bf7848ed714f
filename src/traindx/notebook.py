"""`%load_ext traindx`: a cell magic that observes the training in one notebook cell and shows its diagnosis.

    %%traindx [--out FILE] [--budget PCT]
    train(model)

The cell runs as it does without the first line: same variables, same output, same errors. The variable `traindx_run`
holds the observed run.
"""

from __future__ import annotations

import ast
import shlex
from importlib.util import find_spec
from typing import Any

USAGE = "usage: %%traindx [--out FILE] [--budget PCT]"
VARIABLE = "traindx_run"
OPTIONS = {"--out": str, "--budget": float}


def load_ipython_extension(shell: Any) -> None:
    """Called by `%load_ext traindx`."""
    shell.register_magic_function(lambda line, cell: observed_cell(shell, line, cell), "cell", "traindx")


def observed_cell(shell: Any, line: str, cell: str) -> Any:
    """Run the cell under observation, then show the diagnosis, even if the cell failed."""
    from IPython.core.error import UsageError

    try:
        options = _options(line)
    except ValueError as error:
        raise UsageError(f"{error}; {USAGE}") from None
    if find_spec("torch") is None:
        raise UsageError("%%traindx observes PyTorch, but torch is not installed")
    import torch  # noqa: F401 (the cell may be the first to import it, but the hooks must be set before)

    from .observe.watch import watch

    try:
        run = watch(**options)
    except (RuntimeError, OSError) as error:
        raise UsageError(str(error)) from None
    shell.user_ns[VARIABLE] = run
    try:
        with run:
            return _executed(shell, cell)
    finally:
        _show(run)


def _options(line: str) -> dict[str, Any]:
    """Return the options on the first line, as keyword arguments of `watch`."""
    words: list[str] = []
    for word in shlex.split(line):  # split --name=value, but not a file name that contains a "="
        words += word.split("=", 1) if word.startswith("--") else [word]
    found: dict[str, Any] = {}
    while words:
        name = words.pop(0)
        if name not in OPTIONS or not words:
            raise ValueError(f"unknown option {name!r}" if name not in OPTIONS else f"{name} needs a value")
        found[name.removeprefix("--")] = OPTIONS[name](words.pop(0))
    return found


def _executed(shell: Any, cell: str) -> Any:
    """Run the cell with the notebook's variables, and return the value of its last expression."""
    source = shell.transform_cell(cell)
    name = shell.compile.cache(source, shell.execution_count)
    tree = shell.transform_ast(shell.compile.ast_parse(source, filename=name))
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, name, "exec"), shell.user_ns)
    if last is None:
        return None
    value = eval(compile(ast.Expression(last.value), name, "eval"), shell.user_ns)
    return None if source.rstrip().endswith(";") else value


def _show(run: Any) -> None:
    from IPython.display import display

    found = run.run
    if not found.facts.get("backwards") and not found.steps and not found.events_of("nonfinite-loss"):
        print("traindx: nothing was trained in this cell")
        return
    found.source = "this cell"
    display(found.diagnose())
