"""Variants of `hosts/raw_tensors_wine.py`: plain tensors, cross-entropy by hand, rate set in param_groups."""

from __future__ import annotations

from ..edits import after, background, before, cut, gross, healthy, mild, swap

HOST = "raw_tensors_wine"

SGD = "opt = torch.optim.SGD(params, lr=0.01, momentum=0.9, weight_decay=1e-2)\n"
DECAY = '    for group in opt.param_groups:\n        group["lr"] = 0.01 * 0.5 ** (epoch // 9)\n'
ADAM = "opt = torch.optim.Adam(params, lr=3e-3)\n"
ZERO = "        opt.zero_grad()\n"
STEP = "        opt.step()\n"
LOSS = "        loss = cross_entropy(logits, y[batch])\n"
SCALE = "x = (x - x[train].mean(0)) / x[train].std(0)\n"
EPOCHS = "else 36"
HIDDEN2 = "    h = torch.relu(h @ W2 + b2)\n"


def rate(value: str) -> str:
    return DECAY.replace("0.01 *", f"{value} *")


VARIANTS = [
    background("Adam", swap(SGD, ADAM), swap(DECAY, rate("3e-3"))),
    background("tanh", swap("h = torch.relu(inputs @ W1 + b1)", "h = torch.tanh(inputs @ W1 + b1)")),
    background(
        "batches of 8",
        swap("len(shuffled), 16)", "len(shuffled), 8)"),
        swap("[i : i + 16]", "[i : i + 8]"),
        swap(DECAY, rate("0.005")),
    ),
    healthy("updates by hand", swap(ZERO, "        for p in params:\n            p.grad = None\n")),
    healthy("constant rate", cut(DECAY)),
    healthy("no regularisation", swap(", weight_decay=1e-2", "")),
    healthy(
        "validation only at the end",
        swap(
            "    with torch.no_grad():\n", "    if epoch + 1 < epochs:\n        continue\n    with torch.no_grad():\n"
        ),
    ),
    gross("lr-too-high", "rate of 5", swap(DECAY, rate("5.0"))),
    gross("lr-too-low", "rate of 1e-6", swap(DECAY, rate("1e-6"))),
    mild("lr-too-low", "rate of 1e-4", swap(DECAY, rate("1e-4"))),
    gross("lr-decays-too-soon", "decay counted in steps", swap("(epoch // 9)", "(epoch * 3)")),
    gross("missing-zero-grad", "line deleted", cut(ZERO), swap(DECAY, rate("0.03"))),
    mild(
        "params-not-in-optimizer",
        "only the last layer",
        swap("SGD(params,", "SGD(params[4:],"),
        swap("torch.randn(20, 20) * (2 / 20)", "torch.randn(20, 20) * (0.1 / 20)"),
    ),
    mild(
        "detached-graph",
        "hidden layer taken as data",
        swap(HIDDEN2, "    h = torch.relu(h.data @ W2.data + b2.data)\n"),
    ),
    gross("loss-sign-flipped", "minus forgotten", swap("return -log_probs", "return log_probs")),
    gross("weight-decay-too-strong", "decay of 2", swap("weight_decay=1e-2", "weight_decay=2.0")),
    gross("optimizer-misconfigured", "momentum of 1.01", swap("momentum=0.9", "momentum=1.01")),
    gross(
        "batch-too-large",
        "all rows",
        swap("len(shuffled), 16)", "len(shuffled), 128)"),
        swap("[i : i + 16]", "[i : i + 128]"),
        swap(EPOCHS, "else 12"),
    ),
    gross(
        "init-too-small",
        "std of 1e-4",
        swap("(2 / 13) ** 0.5", "1e-4"),
        swap("(2 / 20) ** 0.5", "1e-4"),
        swap("(1 / 20) ** 0.5", "1e-4"),
    ),
    gross(
        "init-too-large",
        "plain normal times five",
        swap("(2 / 13) ** 0.5", "5"),
        swap("(2 / 20) ** 0.5", "5"),
        swap("(1 / 20) ** 0.5", "5"),
    ),
    gross(
        "symmetric-init",
        "zeros",
        swap("torch.randn(13, 20)", "torch.zeros(13, 20)"),
        swap("torch.randn(20, 20)", "torch.zeros(20, 20)"),
        swap("torch.randn(20, 3)", "torch.zeros(20, 3)"),
    ),
    gross(
        "dead-relus",
        "biases of -6",
        swap("b1 = torch.zeros(20, requires_grad=True)", "b1 = torch.full((20,), -8.0, requires_grad=True)"),
    ),
    gross(
        "softmax-wrong-axis",
        "log-sum-exp over the batch",
        swap("torch.logsumexp(logits, dim=1, keepdim=True)", "torch.logsumexp(logits, dim=0, keepdim=True)"),
    ),
    mild(
        "double-softmax", "softmax in forward", swap("return h @ W3 + b3", "return torch.softmax(h @ W3 + b3, dim=1)")
    ),
    gross(
        "wrong-loss",
        "normalisation forgotten",
        swap("log_probs = logits - torch.logsumexp(logits, dim=1, keepdim=True)", "log_probs = logits"),
    ),
    gross(
        "broadcast-loss",
        "all pairs of rows and labels",
        swap("return -log_probs[torch.arange(len(labels)), labels].mean()", "return -log_probs[:, labels].mean()"),
    ),
    gross(
        "unstable-math",
        "log of exp by hand",
        swap(
            "log_probs = logits - torch.logsumexp(logits, dim=1, keepdim=True)",
            "powers = torch.exp(logits * 100)\n    log_probs = torch.log(powers / powers.sum(1, keepdim=True))",
        ),
    ),
    gross("nonfinite-data", "missing measurement", after(SCALE, 'x[train[3], 2] = float("nan")\n')),
    gross("unscaled-inputs", "raw measurements", cut(SCALE)),
    gross("noisy-labels", "labels permuted", after(SCALE, "y[train] = y[train][torch.randperm(len(train))]\n")),
    gross(
        "unshuffled-data",
        "sorted by cultivar",
        swap("shuffled = train[torch.randperm(len(train))]", "shuffled = train[y[train].argsort()]"),
        swap(DECAY, rate("0.05")),
    ),
    gross(
        "train-val-mismatch",
        "only training rows scaled",
        swap(SCALE, "x[train] = (x[train] - x[train].mean(0)) / x[train].std(0)\n"),
    ),
    gross("scrambled-axes", "reshape for transpose", after(SCALE, "x = x.t().reshape(-1, 13)\n")),
    mild(
        "target-leakage",
        "cultivar as a measurement",
        before("order = torch.randperm", "x[:, 0], x[:, 1] = y, (y == 1).float()\n"),
    ),
    mild("leaked-validation", "validation rows trained on", swap("order[:128], order[128:]", "order, order[128:]")),
    gross(
        "overfitting",
        "twelve rows without decay",
        swap("order[:128], order[128:]", "order[:14], order[128:]"),
        swap(", weight_decay=1e-2", ""),
        swap(EPOCHS, "else 400"),
        swap(DECAY, '    for group in opt.param_groups:\n        group["lr"] = 0.05\n'),
    ),
    mild(
        "undertrained",
        "two epochs",
        swap(EPOCHS, "else 2"),
        swap("epoch % 4 == 3", "epoch >= 0"),
        swap(DECAY, rate("0.003")),
    ),
]
