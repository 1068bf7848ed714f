"""The settings that many fixes change: the learning rate, another option of the optimizer, the loader's options."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ..edits import Edits, Source
from ..edits.arguments import add_keyword, argument, opaque, set_argument, set_value
from ..edits.loops import backward_calls
from ..edits.values import Literal, Option, origin
from ..record import Run
from ..record.site import site_of
from ..record.values import number
from ..wording import num, round_figure
from ._base import Fix, Safety
from ._fixing import begin, fixed
from ._known import adaptive, groups, learning_rate, optimizer, optimizer_class, optimizer_name, setting, train_loader

# The lowest and the highest learning rate in common use: a proposal outside this range would be the next fault.
USUAL_ADAPTIVE = (1e-4, 3e-3)
USUAL_SGD = (3e-3, 0.1)
TRAINER_ARGUMENTS = ("TrainingArguments", "Seq2SeqTrainingArguments")
# What to try first when a model is trained from scratch.
FIRST_ADAPTIVE, FIRST_SGD = 1e-3, 1e-2


def optimizer_call(run: Run, edits: Edits) -> tuple[Source, ast.Call, str] | None:
    """The call that makes the optimizer, where the script holds exactly one on that line."""
    kind = optimizer_class(run) or ""
    site = optimizer(run).get("site")
    found = edits.project.calls_at(site, kind)
    if len(found) != 1:  # under another name: `make = torch.optim.SGD`
        found = [(s, c) for s, c in edits.project.calls_at(site) if any(k.arg == "lr" for k in c.keywords)]
    return (*found[0], kind) if len(found) == 1 else None


def _change(name: str, old: float | None, value: str) -> str:
    if old is None:
        return f"Set {name}={value}"
    shown = f"{old:g}" if name == "momentum" else num(old)  # a momentum of 0.9999 is not 1
    return f"Change {name} from {shown} to {value}"


def optimizer_setting(
    run: Run,
    name: str,
    value: str,
    why: str,
    *,
    safety: Safety = "changes-result",
    words: Mapping[str, str] | None = None,
) -> Fix:
    """Set one option of the optimizer to the source text `value`."""
    old = setting(run, name) if name != "lr" else learning_rate(run)
    change = _change(name, old, value)
    edits = begin(run)
    option = None
    if edits is not None:
        option = set_rate(run, edits, value, old) if name == "lr" else _set_option(run, edits, name, value)
    if option:
        return replace(
            _on_command_line(run, f"{change} on the command line: {why}.", option, value, safety),
            sets=_sets(name, value),
        )
    loop = f'for group in {optimizer_name(run)}.param_groups:\n    group["{name}"] = {value}'
    near = site_of(optimizer(run))
    found = fixed(run, f"{change}: {why}.", edits, loop, near=near, safety=safety, words=words)
    return replace(found, sets=_sets(name, value))


def _sets(name: str, value: str) -> dict[str, Any]:
    """The setting that a source text writes, where it is a literal."""
    try:
        return {name: ast.literal_eval(value)}
    except (ValueError, SyntaxError):
        return {}


def _on_command_line(run: Run, summary: str, option: str, value: str, safety: Safety) -> Fix:
    script = run.facts.get("script")
    argv = [str(part) for part in script.get("argv") or []] if isinstance(script, Mapping) else []
    changed = list(argv)
    for index, part in enumerate(argv):
        if part == option and index + 1 < len(argv):
            changed[index + 1] = value
        elif part.startswith(f"{option}="):
            changed[index] = f"{option}={value}"
    return Fix(summary, " ".join(changed), None, safety, argv=tuple(changed))


def _set_option(run: Run, edits: Edits, name: str, value: str) -> str | None:
    found = optimizer_call(run, edits)
    if found is None:
        edits.refuse()
        return None
    source, call, kind = found
    if not any(name in group for group in groups(run)):
        edits.refuse()  # this optimizer has no such option
    return set_argument(edits, source, call, name, value, kind)


def set_rate(run: Run, edits: Edits, value: str, old: float | None) -> str | None:
    """Writes the learning rate wherever the script sets it: optimizer, one-cycle schedule, assignment by hand."""
    found = optimizer_call(run, edits)
    if found is None:
        return _set_in_trainer(edits, "learning_rate", value, old)
    source, call, kind = found
    given = argument(call, "lr", kind)
    written: set[ast.expr] = set()
    if given is not None:
        place = origin(edits.project, source, given)
        if isinstance(place, Literal):
            written.add(place.node)
        option = set_value(edits, source, given, value)
        if option:
            return option
    elif opaque(call):
        edits.refuse()
    else:
        add_keyword(edits, source, call, f"lr={value}")
    for where, node in _same_rate_elsewhere(run, edits, old):
        if node not in written:
            written.add(node)
            edits.replace(where, node, value)
    for where, cycle in edits.project.calls("OneCycleLR", "CyclicLR"):
        peak = argument(cycle, "max_lr", "OneCycleLR")
        place = origin(edits.project, where, peak) if peak is not None else None
        if isinstance(place, Literal) and place.node not in written:
            written.add(place.node)
            edits.replace(place.source, place.node, value)
    by_hand = list(assigned_by_hand(edits))
    matched = [_rewrite(edits, where, node, value, old, written) for where, node in by_hand]
    if by_hand and not any(matched) and isinstance(given, ast.Constant):
        edits.refuse()  # the loop sets the learning rate from something else
    return None


def _set_in_trainer(edits: Edits, name: str, value: str, old: float | None) -> str | None:
    """Writes an argument of Hugging Face's Trainer, which makes the optimizer itself; only over the value observed."""
    calls = edits.project.calls(*TRAINER_ARGUMENTS)
    if len(calls) == 1:
        source, call = calls[0]
        given = argument(call, name, "")
        place = origin(edits.project, source, given) if given is not None else None
        written = place.node.value if isinstance(place, Literal) and isinstance(place.node, ast.Constant) else None
        if isinstance(place, Option) or (old is not None and number(written) == old):
            return set_argument(edits, source, call, name, value, "")
    edits.refuse()
    return None


def _same_rate_elsewhere(run: Run, edits: Edits, old: float | None) -> list[tuple[Source, ast.expr]]:
    """The same learning rate in the script's other optimizers, as a GAN has them."""
    found = []
    for entry in run.entries("optimizers")[1:]:
        held = entry.get("groups")
        group = held[0] if isinstance(held, list) and held and isinstance(held[0], Mapping) else {}
        kind = str(entry.get("class") or "").rsplit(".", 1)[-1]
        calls = edits.project.calls_at(entry.get("site"), kind)
        given = argument(calls[0][1], "lr", kind) if len(calls) == 1 and number(group.get("lr")) == old else None
        place = origin(edits.project, calls[0][0], given) if given is not None else None
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


def changed_rate(run: Run, factor: float, why: str, words: Mapping[str, str] | None = None) -> Fix:
    """Multiply the learning rate by about a factor, within what recipes use, and write it where the rate is set."""
    old = learning_rate(run)
    word = (
        f"Divide the learning rate by about {num(1 / factor)}"
        if factor < 1
        else (f"Multiply the learning rate by about {num(factor)}")
    )
    if old is None and "backward_sites" in run.facts and not run.entries("optimizers"):  # it updates by hand
        code = f"lr = {num(factor)} * lr  # the learning rate of your own update"
        return replace(fixed(run, f"{word}: {why}.", None, code), sets={"lr_factor": factor})
    several = len({number(group.get("lr")) for group in groups(run)}) > 1
    if old is None or several:
        return _every_group(run, factor, f"{word}{' in every group' if several else ''}: {why}.", words)
    lowest, highest = USUAL_ADAPTIVE if adaptive(run) else USUAL_SGD
    if factor > 1 and old >= highest:
        summary = (
            f"Find the learning rate with `traindx lr`: {num(old)} is already at the top of the usual learning rates."
        )
        return Fix(summary, "")
    new = round_figure(old * factor)
    if factor < 1:
        new = min(max(new, lowest), highest, round_figure(old / 3))
    else:
        pretrained = any(entry.get("loaded") for entry in run.entries("params"))
        start = 0.0 if pretrained else FIRST_ADAPTIVE if adaptive(run) else FIRST_SGD
        new = max(min(max(new, start), highest), round_figure(old * 3))
    return optimizer_setting(run, "lr", num(new), why, words=words)


def _every_group(run: Run, factor: float, summary: str, words: Mapping[str, str] | None) -> Fix:
    name = optimizer_name(run)
    loop = f'for group in {name}.param_groups:\n    group["lr"] *= {num(factor)}'
    edits = begin(run)
    if edits is not None:
        found = optimizer_call(run, edits)
        statement = found[0].statement_of(found[1]) if found else None
        if found and isinstance(statement, ast.Assign) and isinstance(statement.targets[0], (ast.Name, ast.Attribute)):
            edits.insert_after(found[0], statement, loop.replace(name, ast.unparse(statement.targets[0]), 1))
    found_fix = fixed(run, summary, edits, loop, near=site_of(optimizer(run)), words=words)
    return replace(found_fix, sets={"lr_factor": factor})


def loader_setting(
    run: Run,
    name: str,
    value: str,
    why: str,
    *,
    safety: Safety = "changes-result",
    words: Mapping[str, str] | None = None,
) -> Fix:
    """Set one option of the training loader to the source text `value`."""
    loader = train_loader(run)
    change = _change(name, number(loader.get("workers" if name == "num_workers" else name)), value)
    edits = begin(run)
    if edits is not None:
        found = edits.project.calls_at(loader.get("site"), "DataLoader")
        if name == "num_workers" and not is_guarded(run):
            edits.refuse()  # where worker processes are spawned, each runs the script's top level again
        if len(found) == 1:
            option = set_argument(edits, *found[0], name, value, "DataLoader")
            if option:
                said = _on_command_line(run, f"{change} on the command line: {why}.", option, value, safety)
                return replace(said, sets=_sets(name, value))
        else:
            _batches_by_hand(run, edits, name, value)
    pattern = f"loader = torch.utils.data.DataLoader(dataset, {name}={value})  # keep your other arguments"
    found_fix = fixed(run, f"{change}: {why}.", edits, pattern, near=site_of(loader), safety=safety, words=words)
    return replace(found_fix, sets=_sets(name, value))


def is_guarded(run: Run) -> bool:
    """Whether the script's work is under `if __name__ == "__main__"`."""
    edits = begin(run)
    script = edits.project.source(str(edits.project.script)) if edits is not None else None
    return script is not None and any(
        isinstance(node, ast.If) and "__name__" in script.segment(node.test) for node in script.tree.body
    )


def _batches_by_hand(run: Run, edits: Edits, name: str, value: str) -> None:
    """The batch size of a loop over slices or `split`: every literal of the loop that equals it."""
    size = number(train_loader(run).get("batch_size")) or _common_batch(run)
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


def _common_batch(run: Run) -> float | None:
    sizes = run.series("batch_size").finite.values
    return float(max(sizes)) if len(sizes) else None
