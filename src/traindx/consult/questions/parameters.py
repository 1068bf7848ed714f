"""Whether every parameter is trained."""

from ._base import Option, Question

_FINE = {"params-outside-optimizer": 0.1, "fresh-layers-frozen": 0.1, "params-without-gradient": 0.2}

QUESTION = Question(
    id="parameters",
    ask="Does the optimizer hold every parameter that should learn?",
    why="Layers that are created after the optimizer, kept in a plain list or cut off by detach() never learn.",
    how="Compare sum(p.numel() for g in optimizer.param_groups for p in g['params']) with the model's own count.",
    options=(
        Option("all", "Yes, all of them", "the optimizer holds every parameter", _FINE, share=8),
        Option(
            "changed-after",
            "Layers were made or replaced after the optimizer",
            "layers were made or replaced after the optimizer",
            {"params-outside-optimizer": 1.0},
            share=0.6,
        ),
        Option(
            "plain-list",
            "Some layers live in a plain Python list or dict",
            "some layers live in a plain Python list or dict",
            {"params-outside-optimizer": 1.0},
            share=0.4,
        ),
        Option(
            "frozen-new",
            "Some new layers have requires_grad=False",
            "some new layers have requires_grad=False",
            {"fresh-layers-frozen": 1.0},
            share=0.5,
        ),
        Option(
            "frozen-pretrained",
            "Only a pretrained part is frozen, on purpose",
            "only a pretrained part is frozen",
            _FINE,
            share=2,
        ),
        Option(
            "detached",
            "detach(), .data, numpy or no_grad lies between loss and weights",
            "detach(), .data, numpy or no_grad lies between loss and weights",
            {"params-without-gradient": 1.0},
            share=0.6,
        ),
    ),
)
