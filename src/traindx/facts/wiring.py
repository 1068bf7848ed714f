"""Facts that no range applies to: what is connected with what, with file and line.

Each theme is a function of a run that yields (id, what, where, value).
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from ..record import RecordError, Run
from ..record.data import Numbers, Targets
from ..record.program import Side
from ..record.site import Site
from ..signs.terms import loss_terms
from ..wording import counted, num, num4, percent
from .types import Fact

Parts = Iterator[tuple[str, str, str | None, Any]]
STRICT = "TRAINDX_STRICT"  # set by the tests: an error is raised
WIRING = "wiring"  # the question of these facts
NAMES = 3
SETTINGS = ("lr", "momentum", "betas", "eps", "weight_decay", "nesterov", "amsgrad", "maximize", "alpha", "rho")


def site(found: Site | None) -> str | None:
    return str(found) if found else None


def some(names: Sequence[str]) -> str:
    rest = f" and {len(names) - NAMES} more" if len(names) > NAMES else ""
    return ", ".join(names[:NAMES]) + rest


def side(found: Side, made_by: str = "") -> str:
    """`(64, 10) float32 from -5.03 to 3.29, made by addmm`."""
    parts = [f"({', '.join(map(str, found.shape))})" if found.shape is not None else "", found.dtype]
    if found.min is not None and found.max is not None:
        parts.append(f"from {num(found.min)} to {num(found.max)}")
    words = " ".join(part.removeprefix("torch.") for part in parts if part)
    return f"{words}, made by {made_by}" if made_by else words


def settings(found: Mapping[str, Any], names: Sequence[str] = SETTINGS) -> str:
    """`lr 0.001, weight_decay 0.01`, without what is off or absent."""
    shown = [(name, found[name]) for name in names if name in found and found[name] not in (None, False)]
    return ", ".join(f"{name} {value(what)}" for name, what in shown)


def value(what: Any) -> str:
    if isinstance(what, bool) or not isinstance(what, int | float | list | tuple):
        return str(what)
    return num(float(what)) if isinstance(what, int | float) else "(" + ", ".join(map(value, what)) + ")"


SHOWN = 14  # layers named


def model_facts(run: Run) -> Parts:
    for model in run.models:
        trained = [p for p in run.parameters if p.trains]
        elements = sum(p.elements for p in run.parameters)
        share = sum(p.elements for p in trained) / elements if elements else 0.0
        size = f"{counted(elements, 'parameter')}, {percent(share)} trainable" if elements else "no parameters seen"
        compiled = ", compiled" if model.compiled else ""
        yield "model", f"Model {model.class_name or model.name}: {size}{compiled}", site(model.site), elements
    order = _order(run)
    if order:
        yield "layers", f"Layers in order of execution: {order}", None, order
    last = run.graph.last_activation
    if last:
        yield "last-activation", f"Last nonlinearity before the loss: {last}", None, last
    frozen = [p.name for p in run.parameters if p.trains is False]
    if frozen:
        yield "frozen", f"Frozen: {some(frozen)}", None, len(frozen)
    loaded = [p.name for p in run.parameters if p.loaded]
    if loaded:
        yield "loaded", f"Loaded from a checkpoint: {some(loaded)}", None, len(loaded)
    shared = [p.name for p in run.parameters if p.shared]
    if shared:
        yield "shared", f"Weights shared with other names: {some(shared)}", None, len(shared)


def _order(run: Run) -> str:
    """The executed modules without containers, with repeats counted."""
    containers = {model.name for model in run.models}
    containers |= {module.name.rpartition(".")[0] for module in run.modules}
    leaves = [m.type for m in run.modules if m.order is not None and m.name not in containers]
    runs = [(kind, len(list(same))) for kind, same in groupby(leaves)]
    shown = [kind if count == 1 else f"{kind} ×{count}" for kind, count in runs]
    more = f" … and {len(shown) - SHOWN} more" if len(shown) > SHOWN else ""
    return ", ".join(shown[:SHOWN]) + more


CLASSES = 5
CONFIG = 12  # settings of a log shown


def data_facts(run: Run) -> Parts:
    for loader in run.loaders:
        yield "loader", _loader(loader), site(loader.site), loader.batch_size
    for part, name in (("train", "Training"), ("eval", "Evaluation")):
        inputs, targets = run.inputs(part), run.targets(part)
        if found := _numbers(inputs):
            yield f"inputs-{part}", f"{name} inputs: {found}", None, inputs.shape
        if found := _numbers(targets):
            yield (
                f"targets-{part}",
                f"{name} targets ({targets.kind or 'values'}): {found}",
                None,
                _shares(targets),
            )
    log = run.log
    if columns := log.columns:
        read = ", ".join(f"{column} as {role}" for role, column in columns.items())
        yield "columns", f"Columns read: {read}", None, dict(columns)
    if config := log.config:
        kept = {name: what for name, what in config.items() if isinstance(what, int | float | str)}
        shown = ", ".join(f"{name} {value(what)}" for name, what in list(kept.items())[:CONFIG])
        yield "config", f"Settings in the log: {shown}", None, kept


def _loader(loader: Any) -> str:
    role = {"train": "Training", "eval": "Evaluation"}.get(loader.role, "Unused")
    parts = [f"{role} loader: {loader.dataset or 'a dataset'}" + (f" of {num(loader.size)}" if loader.size else "")]
    if loader.batch_size:
        parts.append(f"batches of {num(loader.batch_size)}")
    if loader.shuffled is not None:
        parts.append("shuffled" if loader.shuffled else "in a fixed order")
    if loader.sampler:
        parts.append(loader.sampler)
    if loader.workers is not None:
        parts.append(f"{num(loader.workers)} workers")
    if loader.drop_last:
        parts.append("drop_last")
    if (passes := loader.passes) is not None:
        parts.append(f"{num(passes)} passes")
    return ", ".join(parts)


def _numbers(stats: Numbers) -> str:
    """`(40, 64) float32, mean 0.0059, std 0.377, from -0.3 to 0.7`."""
    sizes = "" if stats.shape is None else f"({', '.join(map(str, stats.shape))})"
    parts = [f"{sizes} {stats.dtype.removeprefix('torch.')}".strip()]
    if isinstance(stats, Targets) and stats.histogram:
        parts.append(_classes(stats))
    elif stats.mean is not None and stats.std is not None:
        parts.append(f"mean {num(stats.mean)}, std {num(stats.std)}")
    if stats.min is not None and stats.max is not None:
        parts.append(f"from {num(stats.min)} to {num(stats.max)}")
    return ", ".join(part for part in parts if part)


def _classes(stats: Targets) -> str:
    shares = sorted(_shares(stats).items(), key=lambda item: -item[1])
    shown = ", ".join(f"{name}: {percent(share)}" for name, share in shares[:CLASSES])
    return f"{len(shares)} classes ({shown}{' …' if len(shares) > CLASSES else ''})"


def _shares(stats: Targets) -> dict[str, float]:
    whole = sum(stats.histogram.values())
    return {name: count / whole for name, count in stats.histogram.items()} if whole > 0 else {}


def losses_facts(run: Run) -> Parts:
    for call in run.losses:
        phase = "in evaluation" if call.in_evaluation else "in training"
        parts = [
            f"{call.fn} {phase}: input {side(call.input, call.made_by)}",
            f"target {side(call.target)}",
        ]
        if call.reduction:
            parts.append(f"reduction {call.reduction}")
        if call.class_weights:
            parts.append("class weights")
        if smoothing := call.label_smoothing:
            parts.append(f"label smoothing {num(smoothing)}")
        yield "loss", "; ".join(parts), site(call.site), call.fn
        if not call.in_evaluation and call.value_ratio is not None and abs(call.value_ratio - 1) > 0.01:
            text = f"backward() gets {num(call.value_ratio)} times the value of {call.fn}"
            yield "loss-scaled", text, site(call.site), call.value_ratio
    for term in loss_terms(run):
        if len(term.curve):
            weight = (
                f", weight {num(term.about.weight)}" if term.about.weight is not None and term.about.weight != 1 else ""
            )
            ends = f"{num4(term.curve.values[0])} at the first look, {num4(term.curve.final)} at the last"
            name = term.label.partition(" (")[0].replace("`", "")
            yield "loss-term", f"Loss term {name}: {ends}{weight}", site(term.about.site), term.curve.final
    for entry in run.backward_sites:
        each = entry.per_step
        text = f"backward() called {counted(entry.count or 0, 'time')}"
        text += f", {num(each)} per update" if each is not None and each != 1 else ""
        text += ", retain_graph" if entry.retain_graph else ""
        yield "backward", text, site(entry.site), entry.count


GROUPS = 3  # parameter groups shown


def optimizers_facts(run: Run) -> Parts:
    for optimizer in run.optimizers:
        name, place = optimizer.class_name or "The optimizer", site(optimizer.site)
        held = optimizer.elements
        parts = [counted(optimizer.steps, "step")] if optimizer.steps is not None else []
        if held is not None:
            tensors = counted(optimizer.tensors, "tensor")
            parts.append(f"holds {tensors}, {held:,.0f} elements")
        yield "optimizer", f"{name}: {', '.join(parts)}", place, optimizer.class_name
        for number_of, group in enumerate(optimizer.groups[:GROUPS]):
            which = f" group {number_of}" if len(optimizer.groups) > 1 else ""
            if found := settings(group.settings):
                yield "settings", f"{name}{which}: {found}", place, dict(group.settings)
        kept = optimizer.grads_kept
        if optimizer.steps_heard and kept is not None:
            cleared = f"{num(optimizer.steps_heard - kept)} of {num(optimizer.steps_heard)}"
            yield "cleared", f"Gradients of {name} cleared before {cleared} steps checked", place, kept
    without = sum(p.elements for p in run.parameters if p.trains and p.optimizer is None)
    if run.optimizers and without:
        names = [p.name for p in run.parameters if p.trains and p.optimizer is None]
        yield "unheld", f"Trainable and in no optimizer: {some(names)}", None, without
    for entry in run.schedulers:
        found = settings(entry.settings, tuple(entry.settings))
        said = f"{entry.class_name}: stepped {counted(entry.steps or 0, 'time')}"
        yield "schedule", f"{said}, {found}" if found else said, site(entry.site), entry.class_name
    rates = run.series("lr").in_order.values
    if len(rates):
        first, peak, last = num(rates[0]), num(rates.max()), num(rates[-1])
        yield (
            "rate",
            f"Learning rate: {first} at the start, {peak} at its peak, {last} at the end",
            None,
            float(rates[-1]),
        )
    clipping = run.clipping
    if clipping:
        limit = clipping.threshold
        by = f" at {num(limit)}" if limit is not None else ""
        yield "clipping", f"Gradients clipped by {clipping.kind}{by}", site(clipping.site), limit
    if by_hand := run.by_hand:
        seen = num(by_hand.steps_heard)
        yield "by-hand", f"Updates made without an optimizer: {seen} seen", None, True


def modes_facts(run: Run) -> Parts:
    modes = run.modes
    layers = modes.mode_layers
    if modes:
        trained, wrong = modes.train_forwards or 0.0, modes.train_forwards_in_eval_mode or 0.0
        yield "train-mode", f"Training forwards: {num(trained)}, of them {num(wrong)} in eval mode", None, wrong
        held, wrong = modes.eval_forwards or 0.0, modes.eval_forwards_in_train_mode or 0.0
        yield "eval-mode", f"Evaluation forwards: {num(held)}, of them {num(wrong)} in train mode", None, wrong
    if layers:
        yield "mode-layers", f"Layers that depend on the mode: {some(layers)}", None, layers
    off = modes.train_off
    if off:
        yield "mode-off", f"In eval mode while the rest trains: {some(off)}", None, off
    if modes.dropping_site:
        yield "dropping", "Dropout is active in eval mode", site(modes.dropping_site), True
    passes = run.eval_passes
    if passes is not None:
        empty = run.eval_passes_empty
        text = f"Evaluation: {counted(passes, 'pass')}" + (f", {num(empty)} of them without samples" if empty else "")
        yield "evaluation", text, None, passes


def machine_facts(run: Run) -> Parts:
    precision = run.precision
    kinds = precision.param_dtypes
    if kinds:
        parts = [f"weights in {', '.join(str(kind).removeprefix('torch.') for kind in kinds)}"]
        if precision.autocast:
            parts.append(f"autocast to {precision.autocast.removeprefix('torch.')}")
        parts += ["a loss scaler"] if precision.scaler else []
        yield "precision", f"Precision: {', '.join(parts)}", None, dict(kinds)
    devices = run.devices
    if devices:
        yield "devices", f"Devices: {', '.join(devices)}", None, devices
    job = run.distributed
    if ranks := job.world_size:
        wrapper = job.wrapper
        how = f"wrapped in {wrapper.class_name}" if wrapper else "without a wrapper"
        kept = wrapper and job.past
        calls = f"; {num(job.through)} training forwards through it, {num(job.past)} past it" if kept else ""
        yield "ranks", f"{counted(ranks, 'rank')}, {how}{calls}", site(wrapper.site), ranks
    error = run.error
    if error:
        first = error.message.partition("\n")[0]
        text = f"Ended by {error.type or 'an error'}" + (f": {first}" if first else "")
        yield "error", text, site(error.site), error.type
    for sentence in run.not_visible:
        yield "not-visible", sentence.rstrip("."), None, True


def wiring_facts(run: Run) -> list[Fact]:
    """In the order of a training step: model, data, loss, optimizer, schedule, modes, machine."""
    if run.told:
        return []
    found: list[Fact] = []
    for theme in THEMES:
        try:
            found += [_fact(*parts) for parts in theme(run)]
        except RecordError:
            raise
        except Exception:  # a record may hold anything; one theme less is better than no report
            if os.environ.get(STRICT):
                raise
    return found


def _fact(name: str, text: str, where: str | None, value: Any) -> Fact:
    return Fact(f"wiring/{name}", f"{text} ({where})" if where else text, value, text, WIRING, where=where)


THEMES = (model_facts, data_facts, losses_facts, optimizers_facts, modes_facts, machine_facts)
