"""Writes a setting of the optimizer or of the loader where the script sets it."""

from __future__ import annotations

import ast
import math
from typing import Any

from ..edits import (
    KERAS_OPTIMIZER,
    Edits,
    Literal,
    Option,
    Source,
    argument,
    backward_calls,
    callee,
    origin,
    set_argument,
)
from ..wording import num, round_figure
from ._fixing import Fix, Run, Safety, begin, fixed, number
from ._frameworks import framework, optimizer_words, words
from ._known import (
    adaptive,
    groups,
    learning_rate,
    optimizer,
    optimizer_class,
    optimizer_name,
    setting,
    train_loader,
    values,
)

# The lowest and the highest learning rate in common use: a proposal outside this range would be the next fault.
USUAL_ADAPTIVE = (1e-4, 3e-3)
USUAL_SGD = (3e-3, 0.1)
RATE_KEYWORDS = ("lr", "learning_rate", "base_lr")  # of constructors whose library makes the optimizer
SAME = 1e-6  # relative difference up to which two learning rates are the same one
# What to try first when a model is trained from scratch.
FIRST_ADAPTIVE, FIRST_SGD = 1e-3, 1e-2


# Where a framework runs the loop: the constructor that takes a setting, and what it calls the setting.
_CONSTRUCTORS = {
    "lightning": ("Trainer", {"max_norm": "gradient_clip_val", "epochs": "max_epochs"}),
    "huggingface": (
        "TrainingArguments",
        {
            "max_norm": "max_grad_norm", "epochs": "num_train_epochs", "batch_size": "per_device_train_batch_size",
            "num_workers": "dataloader_num_workers", "weight_decay": "weight_decay", "eps": "adam_epsilon",
            "warmup_steps": "warmup_steps",
        },
    ),
}  # fmt: skip


def set_in_constructor(run: Run, edits: Edits, name: str, value: str) -> bool:
    """Writes a setting into the only constructor of the framework that takes it; False if there is no such place."""
    kind, names = _CONSTRUCTORS.get(framework(run), ("", {}))
    calls = edits.project.calls(kind)
    if len(calls) != 1 or name not in names:
        return False
    set_argument(edits, *calls[0], names[name], value, kind)
    return True


def optimizer_call(run: Run, edits: Edits) -> tuple[Source, ast.Call, str] | None:
    """The call that makes the optimizer, where the script holds exactly one on that line."""
    kind = optimizer_class(run) or ""
    site = optimizer(run).site
    found = edits.project.calls_at(site, kind)
    if len(found) != 1:  # under another name: `make = torch.optim.SGD`
        found = [(s, c) for s, c in edits.project.calls_at(site) if any(k.arg == "lr" for k in c.keywords)]
    return (*found[0], kind) if len(found) == 1 else None


def _change(name: str, old: float | None, value: str) -> str:
    if old is None:
        return f"Set {name}={value}"
    shown = f"{old:g}" if name == "momentum" else num(old)  # a momentum of 0.9999 is not 1
    return f"Change {name} from {shown} to {value}"


def optimizer_setting(run: Run, name: str, value: str, why: str, *, safety: Safety = "changes-result") -> Fix:
    """Set one option of the optimizer to the source text `value`."""
    old = setting(run, name) if name != "lr" else learning_rate(run)
    if name == "lr" and _raised(run, old):
        why = f"{why}. The optimizer is made with {num(setting(run, 'lr') or 0.0)}, but {num(old or 0.0)} was reached"
    edits, change = begin(run), _change(name, old, value)
    option = set_rate(run, edits, value, old) if name == "lr" else _set_option(run, edits, name, value)
    if option:
        return _on_command_line(run, f"{change} on the command line: {why}.", option, name, value, safety)
    loop = f'for group in {optimizer_name(run)}.param_groups:\n    group["{name}"] = {value}'
    said, sets = optimizer_words(run, name, value), _sets(name, value)
    return fixed(run, f"{change}: {why}.", edits, loop, near=optimizer(run), safety=safety, words=said, sets=sets)


def _sets(name: str, value: str) -> dict[str, Any]:
    """The setting that a source text writes, where it is a literal."""
    try:
        return {name: ast.literal_eval(value)}
    except (ValueError, SyntaxError):
        return {}


def _on_command_line(run: Run, summary: str, option: str, name: str, value: str, safety: Safety) -> Fix:
    argv = list(run.script.argv)
    changed = [f"{option}={value}" if part.startswith(f"{option}=") else part for part in argv]
    if option in argv[:-1]:
        changed[argv.index(option) + 1] = value
    return Fix(summary, " ".join(changed), None, safety, sets=_sets(name, value), argv=tuple(changed))


def _set_option(run: Run, edits: Edits, name: str, value: str) -> str | None:
    found = optimizer_call(run, edits)
    if found is None:
        if not set_in_constructor(run, edits, name, value):
            edits.refuse()
        return None
    source, call, kind = found
    if framework(run) == "keras" and name not in ("momentum", "weight_decay", "nesterov"):
        edits.refuse()  # Keras has another name for it
    if not any(name in group for group in groups(run)):
        edits.refuse()  # this optimizer has no such option
    return set_argument(edits, source, call, name, value, kind, setting(run, name))


def add_behind_optimizer(run: Run, edits: Edits, code: str, name: str) -> None:
    """Inserts statements after the one that creates the optimizer, using the optimizer's name there."""
    found = optimizer_call(run, edits)
    statement = found[0].statement_of(found[1]) if found else None
    if found and isinstance(statement, ast.Assign) and isinstance(statement.targets[0], (ast.Name, ast.Attribute)):
        edits.insert_after(found[0], statement, code.replace(name, ast.unparse(statement.targets[0])))


def set_rate(run: Run, edits: Edits, value: str, old: float | None) -> str | None:
    """Writes the learning rate where the script sets the one observed: in the optimizer, in a schedule, by hand."""
    found = optimizer_call(run, edits)
    if found is None:
        return _set_in_library(edits, value, old)
    source, call, kind = found
    made_with = setting(run, "lr")
    written: set[ast.expr] = set()
    for where, node in _peaks(edits):
        place = origin(edits.project, where, node)
        if isinstance(place, Literal) and place.node not in written:
            written.add(place.node)
            edits.replace(place.source, place.node, value)
    by_hand = assigned_by_hand(edits)
    matched = [_rewrite(edits, where, node, value, old, written) for where, node in by_hand]
    name = "lr"
    if framework(run) == "keras":
        name, kind = "learning_rate", KERAS_OPTIMIZER
    given = argument(call, name, kind)
    if by_hand and not any(matched) and isinstance(given, ast.Constant):
        edits.refuse()  # the loop sets the learning rate from something else
    if not _raised(run, old):
        place = origin(edits.project, source, given, made_with) if given is not None else None
        if not (isinstance(place, Literal) and place.node in written):
            option = set_argument(edits, source, call, name, value, kind, made_with)
            if option:
                return option
        for where, node in _same_rate_elsewhere(run, edits, old):
            if node not in written:
                written.add(node)
                edits.replace(where, node, value)
    elif not written:
        _rescale(run, edits, float(value) / (old or 1.0))
    return None


def _raised(run: Run, old: float | None) -> bool:
    """Whether the learning rate observed is another than the one that the optimizer was made with."""
    made_with = setting(run, "lr")
    return old is not None and made_with is not None and not math.isclose(made_with, old, rel_tol=SAME)


def _peaks(edits: Edits) -> list[tuple[Source, ast.expr]]:
    """What schedules are given that set the learning rate themselves, whatever the optimizer was made with."""
    calls = [(source, call) for source, call in edits.project.calls("OneCycleLR", "CyclicLR")]
    found = [(source, argument(call, "max_lr", callee(call) or "")) for source, call in calls]
    return [(source, node) for source, node in found if node is not None]


def _rescale(run: Run, edits: Edits, factor: float) -> None:
    """A schedule multiplies the rate of the optimizer up to the one observed: the optimizer gets a smaller one, or a
    schedule that raises the rate at each of its steps, which is never meant, falls instead."""
    found, made_with = optimizer_call(run, edits), setting(run, "lr")
    for scheduler in run.schedulers:
        kind, gamma = scheduler.class_name, number(scheduler.settings.get("gamma"))
        calls = edits.project.calls_at(scheduler.site, kind)
        if gamma is not None and gamma > 1 and len(calls) == 1:
            set_argument(edits, *calls[0], "gamma", f"{1 / gamma:.4g}", kind, gamma)
            return
    if found is None or made_with is None or not run.schedulers:
        edits.refuse()
        return
    set_argument(edits, found[0], found[1], "lr", num(round_figure(made_with * factor)), found[2], made_with)


def _set_in_library(edits: Edits, value: str, old: float | None) -> str | None:
    """Writes the keyword of a constructor whose library makes the optimizer (a Trainer, a NeuralNetClassifier)."""
    found: dict[ast.expr, Literal] = {}
    for source in edits.project.sources:
        for node in source.walk(ast.keyword):
            if not isinstance(node, ast.keyword) or node.arg not in RATE_KEYWORDS or old is None:
                continue
            place = origin(edits.project, source, node.value, old)
            if isinstance(place, Option):
                edits.refuse()
                return place.name
            if isinstance(place, Literal):
                found[place.node] = place
    if len(found) == 1:
        place = next(iter(found.values()))
        edits.replace(place.source, place.node, value)
    else:
        edits.refuse()
    return None


def _same_rate_elsewhere(run: Run, edits: Edits, old: float | None) -> list[tuple[Source, ast.expr]]:
    """The same learning rate in the script's other optimizers, as a GAN has them."""
    found = []
    for entry in run.optimizers[1:]:
        rate = entry.groups[0].setting("lr") if entry.groups else None
        kind = entry.class_name.rsplit(".", 1)[-1]
        calls = edits.project.calls_at(entry.site, kind)
        given = argument(calls[0][1], "lr", kind) if len(calls) == 1 and rate == old else None
        place = origin(edits.project, calls[0][0], given, old) if given is not None else None
        if isinstance(place, Literal):
            found.append((place.source, place.node))
    return found


def assigned_by_hand(edits: Edits) -> list[tuple[Source, ast.expr]]:
    """What the script assigns to group["lr"]."""
    return [
        (source, node.value)
        for source in edits.project.sources
        for node in ast.walk(source.tree)
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Subscript) and isinstance(target.slice, ast.Constant) and target.slice.value == "lr"
    ]


def _rewrite(
    edits: Edits, source: Source, value: ast.expr, new: str, old: float | None, written: set[ast.expr]
) -> bool:
    """Replaces the old learning rate within an expression; True if it was found there or where it comes from."""
    found = False
    for node in ast.walk(value):
        if not isinstance(node, (ast.Constant, ast.Name, ast.Attribute)):
            continue
        place = origin(edits.project, source, node)
        if not isinstance(place, Literal) or not isinstance(place.node, ast.Constant):
            continue
        if place.node in written:
            found = True
        elif old and number(place.node.value) and abs(float(place.node.value) / old - 1) < 1e-6:  # type: ignore[arg-type]
            written.add(place.node)
            edits.replace(place.source, place.node, new)
            found = True
    return found


def changed_rate(run: Run, factor: float, why: str) -> Fix:
    """Multiply the learning rate by about a factor, within what recipes use, and write it where the rate is set."""
    old = learning_rate(run)
    verb, times = ("Divide", 1 / factor) if factor < 1 else ("Multiply", factor)
    word = f"{verb} the learning rate by about {num(times)}"
    if old is None and "backward_sites" in run.facts and not run.optimizers:  # it updates by hand
        code = f"lr = {num(factor)} * lr  # the learning rate of your own update"
        return fixed(run, f"{word}: {why}.", None, code, sets={"lr_factor": factor})
    several = len({number(group.get("lr")) for group in groups(run)}) > 1
    if old is None or several:
        return _every_group(run, factor, f"{word}{' in every group' if several else ''}: {why}.")
    lowest, highest = USUAL_ADAPTIVE if adaptive(run) else USUAL_SGD
    if factor > 1 and old >= highest:
        return Fix(
            f"Find the learning rate with `traindx lr`: {num(old)} is already at the top of the usual learning rates.",
            "",
        )
    new = round_figure(old * factor)
    if factor < 1:
        new = min(max(new, lowest), highest, round_figure(old / 3))
    else:
        pretrained = any(entry.loaded for entry in run.parameters)
        start = 0.0 if pretrained else FIRST_ADAPTIVE if adaptive(run) else FIRST_SGD
        new = max(min(max(new, start), highest), round_figure(old * 3))
    return optimizer_setting(run, "lr", num(new), why)


def _every_group(run: Run, factor: float, summary: str) -> Fix:
    name, edits = optimizer_name(run), begin(run)
    loop = f'for group in {name}.param_groups:\n    group["lr"] *= {num(factor)}'
    add_behind_optimizer(run, edits, loop, name)
    said = optimizer_words(run, "lr", f"{num(factor)} * old_lr")
    return fixed(run, summary, edits, loop, near=optimizer(run), words=said, sets={"lr_factor": factor})


def loader_setting(run: Run, name: str, value: str, why: str, *, safety: Safety = "changes-result") -> Fix:
    """Set one option of the training loader to the source text `value`."""
    loader = train_loader(run)
    was = {"num_workers": loader.workers, "batch_size": loader.batch_size}.get(name)
    edits, change = begin(run), _change(name, was, value)
    if name == "num_workers" and not is_guarded(run):
        edits.refuse()  # where worker processes are spawned, each runs the script's top level again
    found = edits.project.calls_at(loader.site, "DataLoader")
    if len(found) != 1 and not set_in_constructor(run, edits, name, value):
        _batches_by_hand(run, edits, name, value)
    elif len(found) == 1 and (option := set_argument(edits, *found[0], name, value, "DataLoader", was)):
        return _on_command_line(run, f"{change} on the command line: {why}.", option, name, value, safety)
    pattern = f"loader = torch.utils.data.DataLoader(dataset, {name}={value})  # keep your other arguments"
    said, sets = words(name, value=value), _sets(name, value)
    return fixed(run, f"{change}: {why}.", edits, pattern, near=loader, safety=safety, words=said, sets=sets)


def is_guarded(run: Run) -> bool:
    """Whether the script's work is under `if __name__ == "__main__"`."""
    project = begin(run).project
    script = project.source(str(project.script))
    return script is not None and any(
        isinstance(node, ast.If) and "__name__" in script.segment(node.test) for node in script.tree.body
    )


def _batches_by_hand(run: Run, edits: Edits, name: str, value: str) -> None:
    """The batch size of a loop over slices or `split`: every literal of the loop that equals it."""
    size = train_loader(run).batch_size or float(max(values(run, "batch_size"), default=0.0))
    if name != "batch_size" or not size:
        return
    for source, call in backward_calls(run, edits.project):
        for loop in source.loops_of(call):
            head = loop.iter if isinstance(loop, ast.For) else loop.test
            slices = [part for node in ast.walk(loop) if isinstance(node, ast.Slice) for part in ast.walk(node)]
            named = [
                p for n in [*ast.walk(head), *slices]
                if not isinstance(n, ast.Constant) and (p := _equal(edits, source, n, size))
            ]  # fmt: skip
            if named:
                edits.replace(named[0].source, named[0].node, value)
                return
            calls = [node for node in ast.walk(head) if isinstance(node, ast.Call) and callee(node) == "split"]
            lengths = [
                call.args[0] for call in calls if len(call.args) == 1 and _equal(edits, source, call.args[0], size)
            ]
            if lengths:
                edits.replace(source, lengths[0], value)
                return
            if size > 2 and any(_equal(edits, source, node, size) for node in ast.walk(head)):
                for node in {*ast.walk(head), *slices}:
                    if _equal(edits, source, node, size) and isinstance(node, ast.Constant):
                        edits.replace(source, node, value)
                return


def _equal(edits: Edits, source: Source, node: ast.AST, size: float) -> Literal | None:
    if not isinstance(node, (ast.Constant, ast.Name, ast.Attribute)):
        return None
    place = origin(edits.project, source, node)
    same = isinstance(place, Literal) and isinstance(place.node, ast.Constant) and place.node.value == int(size)
    return place if same and isinstance(place, Literal) else None
