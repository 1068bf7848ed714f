"""Changes of models: layers, activations, initial weights, modes, precision and the autograd graph."""

from __future__ import annotations

from collections.abc import Sequence

from ...causes import Fix, rectified
from ...record import Run
from ...signs import Signs
from ...wording import num
from .._base import ACTIVATIONS, BATCH_NORMS, RECTIFIERS, SQUASHING, SQUASHING_CALLS, Dose, Refusal, intervention
from ._shared import fixed, output_layers, types_of, weighted_layers

RULES = {"he": "He's", "xavier": "Xavier's", "orthogonal": "orthogonal"}
SLOPE = 0.01  # of LeakyReLU below zero
STRONG = -0.5  # biases that start with a lower mean are set to zero
MORE_DROPOUT = 0.5  # against overfitting
DIVISOR = 0.1  # in the second dose, divisors are bounded below by this share of their mean size


def _hidden(run: Run, kind: str, text: str) -> list[Dose]:
    return [Dose({"kind": kind, "keep": output_layers(run)}, text)]


@intervention("add-activations", "Put ReLU between linear layers", "no-nonlinearity", "models:HiddenOutputs")
def add_activations(run: Run, signs: Signs, cause: str) -> Sequence[Dose] | Refusal:
    """Puts ReLU after linear layers that are directly followed by another linear layer."""
    if weighted_layers(run) < 2:
        return Refusal("the linear layers are not modules")
    return _hidden(run, "relu", "ReLU after every hidden linear layer")


@intervention(
    "add-skips", "Add skip connections around layers that keep the shape", "vanishing-gradients",
    "models:HiddenOutputs", decisive=0.8,  # below `rectify`, because the fix is ReLU with normalisation
)  # fmt: skip
def add_skips(run: Run, signs: Signs, cause: str) -> Sequence[Dose] | Refusal:
    """Adds the input of a hidden layer to its output wherever the two have the same shape."""
    if weighted_layers(run) < 3:
        return Refusal("the model has fewer than two hidden layers that are modules")
    return _hidden(run, "skip", "x + layer(x) wherever the shapes agree")


@intervention(
    "normalise-layers", "Normalise the outputs of hidden layers",
    ("vanishing-gradients", "exploding-gradients", "saturated-activations"),
    "models:HiddenOutputs", decisive=0.7,  # it helps against badly scaled weights and inputs, too
)  # fmt: skip
def normalise_layers(run: Run, signs: Signs, cause: str) -> Sequence[Dose] | Refusal:
    """Normalises the output of each hidden layer, without new parameters."""
    if weighted_layers(run) < 2:
        return Refusal("the model has no hidden layer that is a module")
    return _hidden(run, "norm", "layer norm after every hidden layer")


def _fix_by_initialising(run: Run, signs: Signs, cause: str, dose: Dose) -> Fix | None:
    return rectified(run) if dose.options.get("initialise") else None


@intervention(
    "rectify", "Use ReLU instead of sigmoid or tanh in hidden layers",
    ("vanishing-gradients", "saturated-activations"), "models:Rectified", fix=_fix_by_initialising,
)  # fmt: skip
def rectify(run: Run, signs: Signs, cause: str) -> Sequence[Dose] | Refusal:
    """Replaces sigmoid and tanh in hidden layers by ReLU, after a layer norm or with He initialisation."""
    counts = run.graph.counts
    called = any(counts.get(name, 0.0) > 0 for name in SQUASHING_CALLS)
    if not run.models or not (set(types_of(run)) & set(SQUASHING) or called):
        return Refusal("the model has no sigmoid or tanh")
    keep = output_layers(run)
    return [
        Dose({"keep": keep, "normalise": True}, "ReLU after a layer norm instead of sigmoid and tanh"),
        Dose({"keep": keep, "initialise": True}, "ReLU with He initialisation instead of sigmoid and tanh"),
    ]


@intervention(
    "leaky-relus", "Use LeakyReLU instead of ReLU", "dead-relus", "functions:LeakyRelus",
    decisive=0.9,  # below `zero-biases`, which is more specific if negative biases silence the units
)  # fmt: skip
def leaky_relus(run: Run, signs: Signs, cause: str) -> Sequence[Dose] | Refusal:
    """Replaces ReLU by LeakyReLU, in modules and function calls, so that no unit can die."""
    return [Dose({"slope": SLOPE}, f"LeakyReLU({SLOPE}) instead of ReLU")]


@intervention("zero-biases", "Initialise the biases to zero", "dead-relus", "models:Zeroed")
def zero_biases(run: Run, signs: Signs, cause: str) -> Sequence[Dose] | Refusal:
    """Initialises biases to zero that start strongly negative and keep their units off."""
    biases = [parameter for parameter in run.parameters if parameter.kind in ("bias", "norm")]
    negative = [parameter.name for parameter in biases if (parameter.init_mean or 0.0) < STRONG]
    if not negative:
        return Refusal("no bias starts strongly negative")
    return [Dose({"names": negative}, f"{', '.join(negative[:3])} start{'s' if len(negative) == 1 else ''} at zero")]


@intervention(
    "reinitialise", "Initialise the weights at the usual scale",
    ("init-too-small", "init-too-large", "symmetric-init"), "models:Reinitialised",
)  # fmt: skip
def reinitialise(run: Run, signs: Signs, cause: str) -> Sequence[Dose] | Refusal:
    """Draws the initial weights again at the usual scale. The script's random state does not change."""
    fans = {part.name: part.fan_in for part in run.parameters if part.kind == "weight" and not part.loaded}
    if not run.models and run.optimizers:
        # It is unknown which axis of a bare tensor is the input, so use Xavier's rule, which treats both alike.
        return [Dose({"rule": "xavier", "fans": {}}, f"{RULES['xavier']} initialisation of the optimizer's tensors")]
    if not run.models or not fans:
        return Refusal("the weights are not those of a module")
    kinds = set(types_of(run))
    rules = ("he", "orthogonal") if kinds & set(RECTIFIERS) or not kinds & set(SQUASHING) else ("xavier", "orthogonal")
    return [Dose({"rule": rule, "fans": fans}, f"{RULES[rule]} initialisation") for rule in rules]


@intervention(
    "group-norm", "Use GroupNorm instead of BatchNorm", "batchnorm-tiny-batch", "models:GroupNorms",
    judged_by="validation",
)  # fmt: skip
def group_norm(run: Run, signs: Signs, cause: str) -> Sequence[Dose] | Refusal:
    """Replaces batch norm by group norm with the same parameters."""
    if not set(types_of(run)) & set(BATCH_NORMS):
        return Refusal("no batch norm is a module of the model")
    return [Dose({}, "GroupNorm instead of BatchNorm")]


@intervention(
    "change-dropout", "Change dropout", ("over-regularized", "overfitting"), "models:Dropout", judged_by="validation"
)
def change_dropout(run: Run, signs: Signs, cause: str) -> Sequence[Dose] | Refusal:
    """Weakens or strengthens dropout, in modules and in calls of the function."""
    used = [p for p in run.dropout if p > 0]
    if not used:
        return Refusal("the model has no dropout")
    if cause == "overfitting":
        if max(used) >= MORE_DROPOUT:
            return Refusal("dropout is already strong")
        return [Dose({"p": MORE_DROPOUT}, f"dropout {num(max(used))} -> {MORE_DROPOUT}")]
    wanted = fixed(run, signs, cause).get("p", 0.0)
    return [Dose({"p": p, "above": p}, f"dropout {num(max(used))} -> {num(p)}") for p in dict.fromkeys((wanted, 0.0))]


@intervention(
    "set-modes", "Train in train mode and evaluate in eval mode", ("eval-mode-missing", "train-mode-missing"),
    "models:Modes", judged_by="validation",
)  # fmt: skip
def set_modes(run: Run, signs: Signs, cause: str) -> Sequence[Dose] | Refusal:
    """Puts models into train mode for training forwards, and into eval mode for forwards without gradients."""
    if cause == "train-mode-missing":
        return [Dose({"train": True}, "model.train() before training forwards")]
    return [Dose({"evaluate": True}, "model.eval() before forwards without gradients")]


@intervention("run-in-float32", "Train in float32", "low-precision", "models:Float32", safety="costly", cost=1.5)
def run_in_float32(run: Run, signs: Signs, cause: str) -> Sequence[Dose] | Refusal:
    """Turns off autocast, and converts half-precision models to float32."""
    precision = run.precision
    names = [*precision.param_dtypes, *precision.activations]
    if not precision.autocast and not any("16" in str(name) for name in names):
        return Refusal("nothing runs in half precision")
    return [Dose({}, "float32 instead of half precision")]


@intervention(
    "free-output", "Remove the activation after the last layer", "output-range-mismatch", "functions:OutputFreed"
)
def free_output(run: Run, signs: Signs, cause: str) -> Sequence[Dose] | Refusal:
    """Removes the activation at the end of the model, so that its output can reach every target."""
    if not run.models:
        return Refusal("the network is not a module")
    made = {loss.made_by.lower() for loss in run.training_losses} & set(ACTIVATIONS)
    # With one model, an activation between model and loss is also the last one; with several, it may be a hidden one.
    outside = sorted(made)[0] if made and len(run.models) == 1 else None
    return [Dose({"outside": outside}, "the model's output without its last activation")]


@intervention(
    "guard-math", "Keep the arguments of log, sqrt, division and exp in their safe range", "unstable-math",
    "functions:Guarded",
)  # fmt: skip
def guard_math(run: Run, signs: Signs, cause: str) -> Sequence[Dose] | Refusal:
    """Limits the arguments of log, sqrt, division, exp and similar functions so that values and derivatives are
    finite."""
    origins = [event.details.op for event in run.events_of("nonfinite-origin")]
    shown = f" (the first came from {origins[0]})" if origins and origins[0] else ""
    found = [Dose({}, f"arguments of log, sqrt, exp and divisors bounded{shown}")]
    if "div" in (origins or [""])[0]:
        # Division by a tiny number gives a finite result that is still too large to learn from.
        found.append(Dose({"share": DIVISOR}, f"divisors no smaller than {DIVISOR:.0%} of their usual size"))
    return found


@intervention(
    "keep-graph", "Keep the autograd graph from loss to weights intact", "detached-graph", "functions:GraphKept"
)
def keep_graph(run: Run, signs: Signs, cause: str) -> Sequence[Dose] | Refusal:
    """Ignores the script's detach(), .data and no_grad() in training forwards, so that gradients reach all layers."""
    if run.models:
        return [Dose({}, "detach(), .data and no_grad() inside the model ignored")]
    if not run.optimizers:
        return Refusal("without a module or an optimizer, it is unknown where a forward begins")
    return [Dose({"bare": True}, "detach() and .data between a step and the next backward ignored")]


@intervention(
    "release-graphs", "Detach what is kept from step to step", "graph-retained", "functions:GraphsReleased",
    safety="safe", judged_by="symptoms",
)  # fmt: skip
def release_graphs(run: Run, signs: Signs, cause: str) -> Sequence[Dose] | Refusal:
    """Releases the graphs that the script keeps alive: of losses after their backward, and of state carried between
    steps."""
    if not run.optimizers:
        return Refusal("no optimizer was seen, so it is unknown where a step ends")
    return [Dose({}, "losses and carried state detached at each step")]
