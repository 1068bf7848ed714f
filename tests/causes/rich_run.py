"""A run about which nearly everything is known, and what the fixes of causes make of one."""

from __future__ import annotations

import ast
from typing import Any

from traindx.causes import Fix, all_causes
from traindx.record import Run, RunBuilder
from traindx.signs import Signs

NO_SIGNS = Signs({}, {})


def site(line: int, text: str) -> dict[str, Any]:
    return {"file": "train.py", "line": line, "text": text, "function": "main"}


def rich(**changed: Any) -> Run:
    """A run of 100 steps about which nearly everything is known; `changed` replaces facts."""
    steps = list(range(100))
    facts: dict[str, Any] = {
        "steps": 100,
        "backwards": 400,
        "optimizers": [
            {
                "class": "SGD",
                "site": site(31, "opt = torch.optim.SGD(model.parameters(), lr=5.0, weight_decay=0.5)"),
                "groups": [{"lr": 5.0, "momentum": 0, "weight_decay": 0.5, "tensors": 4, "elements": 500}],
                "steps": 100,
                "grads_kept": 99,
                "steps_heard": 100,
            }
        ],
        "schedulers": [
            {
                "class": "StepLR",
                "optimizer": 0,
                "site": site(33, "sched = StepLR(opt, step_size=3, gamma=0.1)"),
                "steps": 100,
                "settings": {"step_size": 3, "gamma": 0.1},
            }
        ],
        "loaders": [
            {
                "size": 800,
                "batch_size": 2,
                "batches": 40,
                "workers": 0,
                "role": "train",
                "site": site(20, "loader = DataLoader(data, batch_size=2)"),
            }
        ],
        "models": [
            {
                "class": "Net",
                "site": site(25, "model = Net()"),
                "trainable": 7777,
                "modules": [
                    {"name": "a", "type": "Linear", "settings": {"out_features": 6}},
                    {"name": "norm", "type": "BatchNorm2d", "settings": {"num_features": 48}},
                    {"name": "drop", "type": "Dropout", "settings": {"p": 0.9}},
                    {"name": "b", "type": "Linear", "settings": {"out_features": 10}},
                ],
            }
        ],
        "params": [
            {
                "name": "head.weight",
                "elements": 60,
                "requires_grad": True,
                "optimizer": None,
                "grad": "yes",
                "ran": True,
            },
            {
                "name": "stem.weight",
                "elements": 40,
                "requires_grad": False,
                "loaded": False,
                "grad": "none",
                "ran": True,
            },
            {"name": "cut.weight", "elements": 30, "requires_grad": True, "optimizer": 0, "grad": "none", "ran": True},
        ],
        "backward_sites": [{"site": site(41, "loss.backward()"), "count": 400, "per_step": 4.0, "retain_graph": False}],
        "losses": [{"fn": "cross_entropy", "phase": "train", "site": site(40, "loss = -F.cross_entropy(out, y)")}],
        "modes": {
            "train_forwards": 100,
            "train_forwards_in_eval_mode": 60,
            "first_eval_mode_step": 40,
            "eval_forwards": 20,
            "eval_forwards_in_train_mode": 12,
            "mode_layers": ["Dropout"],
            "train_off": ["drop"],
        },
        "distributed": {"rank": 0, "world_size": 6, "backend": "gloo"},
        "error": {"message": "element 0 of tensors does not require grad", "site": site(41, "loss.backward()")},
    }
    builder = RunBuilder("train.py", "observed")
    for key, value in {**facts, **changed}.items():
        builder.fact(key, value)
    builder.event("mode-changed", 40, training=False, site=site(52, "model.eval()"))
    curves = {
        "loss/train": [3.0 - 0.01 * step for step in steps],
        "loss/validation": [2.0 + abs(step - 30) / 100 for step in steps],
        "lr": [5.0 * 0.9**step for step in steps],
        "grad_norm": [1.0 + step for step in steps],
        "update_ratio": [0.2] * 100,
        "weight_norm": [10.0 - 0.09 * step for step in steps],
        "decay_ratio": [4.0] * 100,
        "clip/norm": [float(step + 1) for step in steps],
        "clip/threshold": [0.25] * 100,
        "noise_scale": [70.0] * 100,
        "memory": [1e8 + 1e6 * step for step in steps],
        "graph_nodes": [50.0 + 10 * step for step in steps],
        "time/data": [0.03] * 100,
        "time/total": [0.04] * 100,
    }
    for name, values in curves.items():
        builder.series(name, steps, values)
    return builder.build()


def parses(code: str) -> bool:
    """Also the head of a block, as a rewritten line may be."""
    for source in (code, code + "\n    pass"):
        try:
            ast.parse(source)
        except SyntaxError:
            continue
        return True
    return False


def fixed(cause_id: str, run: Run, signs: Signs = NO_SIGNS) -> Fix:
    return all_causes()[cause_id].fix(run, signs)
