"""Fixes that change a layer, an operation or a loss: at the culprit's own line, with the script's own names."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import pytest
from test_fixes_apply import after, everything, fix_of, recorded

from traindx.causes import all_causes
from traindx.record import RunBuilder
from traindx.signs import Sign, Signs

TAIL = """\
opt = torch.optim.SGD(net.parameters(), lr=5.0)
for x, y in loader:
    loss = crit(net(x), y)
    loss.backward()
    opt.step()
"""


def module(init: str, forward: str) -> str:
    return (
        "import torch\nimport torch.nn.functional as F\nfrom torch import nn\n\n\n"
        f"class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n        {init}\n\n"
        f"    def forward(self, x):\n        {forward}\n\n\nnet = Net()\ncrit = nn.CrossEntropyLoss()\n{TAIL}"
    )


MODEL = {"models": [{"class": "Net", "modules": [{"name": "rnn", "type": "RNN"}]}]}
GIVEN = {"fn": "cross_entropy", "phase": "train", "input": {"min": 0.0, "max": 1.0, "grad_fn": "softmax"}}
SIGMOID = {"graph": {"last_activation": "sigmoid"}}
HALF = {"precision": {"param_dtypes": {"float16": 9}}}
CASES: dict[str, tuple[str, dict[str, Any], str, str, str]] = {
    "method": ("double-softmax", {"losses": [GIVEN]}, "pass", "return self.out(x).softmax(-1)", "return self.out(x)"),
    "function": ("double-softmax", {"losses": [GIVEN]}, "pass", "return F.softmax(a + b, dim=1)", "return a + b"),
    "module": (
        "double-softmax",
        {"losses": [GIVEN]},
        "self.act = nn.Softmax(dim=1)",
        "return self.act(self.out(x))",
        "return self.out(x)",
    ),
    "module called softmax": (
        "double-softmax",
        {"losses": [GIVEN]},
        "self.softmax = nn.Softmax(dim=1)",
        "return self.softmax(self.out(x))",
        "return self.out(x)",
    ),
    "view of the inputs": (
        "scrambled-axes",
        {"ops": [{"op": "view", "site": 12, "shapes_in": [[50, 8, 8]], "shape_out": [8, 50, 8]}]},
        "self.rnn = nn.LSTM(8, 64)",
        "return self.rnn(x.reshape(8, x.size(0), 8))[0]",
        "return self.rnn(x.permute(1, 0, 2))[0]",
    ),
    "output": ("output-range-mismatch", SIGMOID, "pass", "return torch.sigmoid(self.head(x))", "return self.head(x)"),
    "axis": ("softmax-wrong-axis", {}, "pass", "return F.log_softmax(x, dim=0)", "return F.log_softmax(x, dim=-1)"),
    "instances": (
        "softmax-wrong-axis",
        {"graph": {"softmaxes": [{"dim": 0, "shape": [32, 12, 1], "in_loss": False}]}},
        "pass",
        "return (F.softmax(self.score(h), dim=0) * h).sum(1)",
        "return (F.softmax(self.score(h), dim=1) * h).sum(1)",
    ),
    "detach": (
        "detached-graph",
        {},
        "pass",
        "return self.head(self.body(x).detach())",
        "return self.head(self.body(x))",
    ),
    "data": ("detached-graph", {}, "pass", "return self.head((a + b).data)", "return self.head((a + b))"),
    "dropout": ("over-regularized", {}, "self.d = nn.Dropout(0.9)", "return x", "self.d = nn.Dropout(0.2)"),
    "recurrence": (
        "vanishing-gradients",
        MODEL,
        'self.rnn = nn.RNN(3, 8, nonlinearity="tanh", batch_first=True)',
        "return x",
        "self.rnn = nn.GRU(3, 8, batch_first=True)",
    ),
    "linear": (
        "no-nonlinearity",
        {},
        "self.body = nn.Sequential(nn.Linear(3, 8), nn.Linear(8, 2))",
        "return x",
        "self.body = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 2))",
    ),
    "biases": (
        "dead-relus",
        {"params": [{"name": "b", "kind": "bias", "init_mean": -4.0}]},
        "nn.init.constant_(self.a.bias, -4.0)",
        "return x",
        "nn.init.constant_(self.a.bias, 0.0)",
    ),
    "constant weights": (
        "symmetric-init",
        {},
        "nn.init.constant_(self.a.weight, 0.1)",
        "return x",
        "nn.init.xavier_uniform_(self.a.weight)",
    ),
    "batch norm": (
        "batchnorm-tiny-batch",
        {"models": [{"modules": [{"type": "BatchNorm2d", "name": "n", "settings": {"num_features": 48}}]}]},
        "self.norm = nn.BatchNorm2d(48)",
        "return x",
        "self.norm = nn.GroupNorm(24, 48)",
    ),
    "half": ("low-precision", HALF, "self.half()", "return x.half()", "return x.float()"),
    "inputs": (
        "unscaled-inputs",
        {"data/train": {"mean": 500.0, "std": 200.0}, **MODEL},
        "pass",
        "return self.out(x)",
        "x = (x - 500) / 200\n        return self.out(x)",
    ),
    "class weights": (
        "class-imbalance",
        {"targets/train": {"histogram": {"0": 400, "1": 100}}},
        "pass",
        "return x",
        "crit = nn.CrossEntropyLoss(weight=torch.tensor([0.625, 2.5]))",
    ),
    "padding": (
        "padding-in-loss",
        {"padding": {"id": 0, "share": 0.4, "counted": 1.0}},
        "pass",
        "return x",
        "crit = nn.CrossEntropyLoss(ignore_index=0)",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_the_line_of_the_culprit_changes(tmp_path: Path, name: str) -> None:
    cause, facts, init, forward, expected = CASES[name]
    text = module(init, forward)
    changed = after(tmp_path, fix_of(cause, recorded(tmp_path, text, **everything(text, **facts))))
    assert expected in changed
    assert len(set(changed.splitlines()) - set(text.splitlines())) <= 2


@pytest.mark.parametrize(
    ("op", "line", "stable"),
    [
        ("sqrt", "d = torch.sqrt((a - b).pow(2).sum(-1))", "d = torch.sqrt(((a - b).pow(2).sum(-1)) + 1e-12)"),
        ("log", "h = (p * torch.log(p)).sum()", "h = (p * torch.log(p.clamp(min=1e-8))).sum()"),
        ("log", "h = F.softmax(s, dim=1).log()", "h = F.log_softmax(s, dim=1)"),
        ("DivBackward0", "y = x / x.norm()", "y = x / (x.norm() + 1e-8)"),
        ("exp", "y = (a + b).exp()", "y = (a + b).clamp(max=20.0).exp()"),
    ],
)
def test_an_unstable_operation_is_rewritten_in_place(tmp_path: Path, op: str, line: str, stable: str) -> None:
    script = tmp_path / "train.py"
    script.write_text(f"{line}\n")
    site = {"file": str(script), "line": 1, "text": line}
    run = RunBuilder("x", "observed").fact("script", {"path": str(script), "argv": []})
    run.event("nonfinite-origin", 5, op=op, where="forward", site=site)
    changed = after(tmp_path, fix_of("unstable-math", run.build()))
    assert ast.dump(ast.parse(changed)) == ast.dump(ast.parse(stable))


def test_layers_in_a_plain_list_become_a_module_list(tmp_path: Path) -> None:
    text = module("self.layers = [nn.Linear(3, 3) for _ in range(4)]", "return x")
    params = [{"name": "tensor0", "requires_grad": True, "optimizer": None, "grad": "yes", "elements": 9}]
    changed = after(
        tmp_path, fix_of("params-not-in-optimizer", recorded(tmp_path, text, **everything(text, params=params)))
    )
    assert "self.layers = nn.ModuleList([nn.Linear(3, 3) for _ in range(4)])" in changed


def test_the_whole_model_goes_into_the_optimizer(tmp_path: Path) -> None:
    text = module("pass", "return x").replace("SGD(net.parameters()", "SGD(net.head.parameters()")
    params = [{"name": "body.weight", "requires_grad": True, "optimizer": None, "grad": "yes", "elements": 9}]
    changed = after(
        tmp_path, fix_of("params-not-in-optimizer", recorded(tmp_path, text, **everything(text, params=params)))
    )
    assert "torch.optim.SGD(net.parameters(), lr=5.0)" in changed


ADVERSARIES = """\
import torch
from torch import nn

generator, critic, crit = nn.Linear(2, 2), nn.Linear(2, 1), nn.BCEWithLogitsLoss()
opt_g = torch.optim.Adam(generator.parameters(), lr=1e-3)
opt_c = torch.optim.Adam(critic.parameters(), lr=1e-3)
for real in loader:
    made = generator(torch.randn(8, 2)).detach()
FIRST
SECOND
"""
MAKER = """\
    opt_g.zero_grad()
    g_loss = crit(critic(made), torch.ones(8, 1))
    g_loss.backward()
    opt_g.step()
"""
CRITIC = """\
    opt_c.zero_grad()
    c_loss = crit(critic(real), torch.ones(8, 1)) + crit(critic(made), torch.zeros(8, 1))
    c_loss.backward()
    opt_c.step()
"""


DETACHED = CRITIC.replace("critic(made)", "critic(made.detach())")


@pytest.mark.parametrize(
    ("first", "second"),
    [(MAKER, CRITIC), (CRITIC, MAKER), (MAKER, DETACHED)],
    ids=["maker first", "critic first", "detached there already"],
)
def test_a_detach_moves_to_where_another_model_is_trained(tmp_path: Path, first: str, second: str) -> None:
    text = ADVERSARIES.replace("FIRST\n", first).replace("SECOND\n", second)
    sites = [{"site": number} for number, line in enumerate(text.splitlines(), 1) if "backward" in line]
    fix = fix_of("detached-graph", recorded(tmp_path, text, backward_sites=sites))
    expected = text.replace(".detach()", "").replace("critic(made), torch.zeros", "critic(made.detach()), torch.zeros")
    assert after(tmp_path, fix) == expected
    line = next(number for number, line in enumerate(text.splitlines(), 1) if "zeros(8" in line)
    assert (f"detach `made` in line {line}" in fix.summary) == (text.count("detach") == 1)


def test_a_detach_stays_where_nobody_knows_which_model_is_trained_next(tmp_path: Path) -> None:
    text = ADVERSARIES.replace("FIRST\n", MAKER).replace("SECOND\n", CRITIC.replace("opt_c.step()", "steps(critic)"))
    sites = [{"site": number} for number, line in enumerate(text.splitlines(), 1) if "backward" in line]
    assert fix_of("detached-graph", recorded(tmp_path, text, backward_sites=sites)).patch is None


@pytest.mark.parametrize(
    ("forward", "said", "unsaid"),
    [
        ("seq = x.reshape(8, len(x), 4)\n        out, _ = self.rnn(seq)\n        return out[-1]",
         ["`out[:, -1]`, not `out[-1]` (line 14)", "`x.reshape(8, len(x), 4)` (line 12)"], []),
        ("out, _ = self.rnn(x)\n        y = x.view(-1)\n        return out[:, -1], y[-1]", [], ["(line", "view("]),
    ],
    ids=["time first throughout", "batch first already"],
)  # fmt: skip
def test_batch_first_tells_what_else_reads_time_first(
    tmp_path: Path, forward: str, said: list[str], unsaid: list[str]
) -> None:
    text = module("self.rnn = nn.LSTM(4, 8)", forward)
    fix = fix_of("scrambled-axes", recorded(tmp_path, text, **everything(text)))
    assert "nn.LSTM(4, 8, batch_first=True)" in after(tmp_path, fix)
    assert all(words in fix.summary for words in said) and not any(words in fix.summary for words in unsaid)


def test_two_candidates_are_none(tmp_path: Path) -> None:
    text = module("pass", "h = F.softmax(x, dim=1)\n        return F.softmax(h, dim=1)")
    fix = fix_of("double-softmax", recorded(tmp_path, text, **everything(text, losses=[GIVEN])))
    assert fix.patch is None and "line to change is not known" in fix.summary


def test_squared_error_on_class_ids_stays_prose(tmp_path: Path) -> None:
    text = module("pass", "return x")
    loss = {"fn": "mse_loss", "phase": "train", "target": {"distinct": 7}}
    seen = Signs({"class-ids-in-regression-loss": Sign("class-ids-in-regression-loss", 1.0, 1.0, "ids")}, {})
    fix = fix_of("wrong-loss", recorded(tmp_path, text, **everything(text, losses=[loss])), seen)
    assert fix.patch is None and "Linear(width, 7)" in fix.code


def test_a_line_of_a_library_is_no_place_to_change() -> None:
    site = {"file": "/venv/lib/python3.11/site-packages/torch/nn/modules/container.py", "line": 59}
    run = RunBuilder("run", "observed").fact("models", [{"class": "Sequential", "site": site}]).build()
    fix = all_causes()["vanishing-gradients"].fix(run, Signs({}, {}))
    assert fix.location is None
