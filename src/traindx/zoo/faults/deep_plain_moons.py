"""Variants of `hosts/deep_plain_moons.py`: functions, generator of batches, deep plain net, binary logits."""

from __future__ import annotations

from ..edits import after, background, before, cut, gross, healthy, mild, on, swap

HOST = "deep_plain_moons"

ADAM = "torch.optim.Adam(net.parameters(), lr=1e-3, betas=(0.9, 0.999))"
SGD = "torch.optim.SGD(net.parameters(), lr=0.03, momentum=0.9)"
ZERO = "        optimizer.zero_grad()\n"
LOSS = "        loss = F.binary_cross_entropy_with_logits(logits, y)\n"
BACKWARD = "        loss.backward()\n"
STEP = "        optimizer.step()\n"
SCHEDULED = "    decay.step()\n"
NET = "net = build_model()\n"
KAIMING = '            nn.init.kaiming_normal_(layer.weight, nonlinearity="relu")\n'
ZERO_BIAS = "            nn.init.zeros_(layer.bias)\n"
SPLIT = "val_x, val_y = inputs[1800:], targets[1800:]\n"
RELU = "        layers.append(nn.ReLU())\n"
PREDICT = "        logits = net(x)\n"

VARIANTS = [
    background("SGD with momentum", swap(ADAM, SGD)),
    background("leaky units", swap(RELU, "        layers.append(nn.LeakyReLU(0.1))\n")),
    background("wider", swap("HIDDEN = 48", "HIDDEN = 80")),
    background("batches of 30", swap("batches(train_x, train_y, 50)", "batches(train_x, train_y, 30)")),
    healthy(
        "tanh with matching initialisation",
        swap(RELU, "        layers.append(nn.Tanh())\n"),
        swap(KAIMING, "            nn.init.xavier_normal_(layer.weight, gain=5 / 3)\n"),
    ),
    healthy(
        "sigmoid and plain cross-entropy",
        swap(LOSS, "        loss = F.binary_cross_entropy(torch.sigmoid(logits), y)\n"),
    ),
    healthy(
        "summed loss with matching rate",
        swap(LOSS, LOSS.replace("(logits, y)", '(logits, y, reduction="sum")')),
        swap(ADAM, "torch.optim.SGD(net.parameters(), lr=0.03 / 50, momentum=0.9)"),
        swap("loss.item() * len(x) / len(train_x)", "loss.item() / len(train_x)"),
    ),
    healthy("rare clipping", before(STEP, "        nn.utils.clip_grad_norm_(net.parameters(), 4.0)\n")),
    healthy("batch norm between layers", before(RELU, "        layers.append(nn.BatchNorm1d(HIDDEN))\n")),
    gross("lr-too-high", "rate of 0.3", swap("lr=1e-3", "lr=0.3")),
    gross("lr-too-high", "SGD with a rate of 3", swap(ADAM, SGD.replace("0.03", "3.0"))),
    mild("lr-too-high", "rate of 0.03", swap("lr=1e-3", "lr=0.03")),
    gross("lr-too-low", "rate of 1e-7", swap("lr=1e-3", "lr=1e-7")),
    mild("lr-too-low", "rate of 1e-5", swap("lr=1e-3", "lr=1e-5")),
    gross(
        "lr-decays-too-soon",
        "milestones counted in batches",
        cut(SCHEDULED),
        after(STEP, "        decay.step()\n"),
        swap("gamma=0.2", "gamma=0.01"),
    ),
    mild("lr-never-decays", "no schedule at a high rate", cut(SCHEDULED), swap(ADAM, SGD.replace("0.03", "0.15"))),
    gross("missing-zero-grad", "line deleted", cut(ZERO)),
    mild("missing-zero-grad", "cleared after the epoch", cut(ZERO), after(SCHEDULED, "    optimizer.zero_grad()\n")),
    gross("params-not-in-optimizer", "model made again", before("for epoch in range(14):\n", "net = build_model()\n")),
    mild(
        "frozen-layers",
        "all but the last layer frozen",
        after(NET, "for p in net[:-1].parameters():\n    p.requires_grad = False\n"),
    ),
    gross(
        "detached-graph",
        "prediction rounded before the loss",
        swap(LOSS, "        loss = F.binary_cross_entropy((logits > 0).float().requires_grad_(), y)\n"),
    ),
    mild(
        "detached-graph",
        "first half under no_grad",
        swap(PREDICT, "        with torch.no_grad():\n            h = net[:10](x)\n        logits = net[10:](h)\n"),
    ),
    gross("loss-sign-flipped", "negated", swap("loss.backward()", "(-1 * loss).backward()")),
    gross(
        "clip-too-tight",
        "norm of 1e-4 with SGD",
        swap(ADAM, SGD),
        before(STEP, "        nn.utils.clip_grad_norm_(net.parameters(), 1e-4)\n"),
    ),
    gross(
        "weight-decay-too-strong",
        "decay of 0.3",
        swap(ADAM, SGD.replace("momentum=0.9", "momentum=0.9, weight_decay=0.3")),
    ),
    gross("optimizer-misconfigured", "first beta of 0.9999", swap("betas=(0.9, 0.999)", "betas=(0.9999, 0.999)")),
    gross("optimizer-misconfigured", "momentum of 0.999", swap(ADAM, SGD.replace("0.9)", "0.999)"))),
    gross("batch-too-large", "the whole set", swap("batches(train_x, train_y, 50)", "batches(train_x, train_y, 1800)")),
    gross(
        "vanishing-gradients",
        "sigmoid in twenty default layers",
        swap(RELU, "        layers.append(nn.Sigmoid())\n"),
        swap("DEPTH = 7", "DEPTH = 20"),
        cut(KAIMING),
        swap(ZERO_BIAS, "            pass\n"),
    ),
    gross(
        "vanishing-gradients",
        "thirty default layers",
        swap("DEPTH = 7", "DEPTH = 30"),
        cut(KAIMING),
        swap(ZERO_BIAS, "            pass\n"),
        swap(ADAM, SGD),
    ),
    gross("dead-relus", "biases of -5", swap(ZERO_BIAS, "            nn.init.constant_(layer.bias, -5.0)\n")),
    gross(
        "dead-relus",
        "a huge first step",
        after(SCHEDULED, ""),
        before(
            "for epoch in range(14):\n",
            "F.binary_cross_entropy_with_logits(net(train_x), train_y).backward()\nwith torch.no_grad():\n    for p in net.parameters():\n        p -= 30 * p.grad\n",
        ),
    ),
    gross(
        "saturated-activations",
        "tanh with biases of eight",
        swap(RELU, "        layers.append(nn.Tanh())\n"),
        swap(ZERO_BIAS, "            nn.init.constant_(layer.bias, 8.0)\n"),
    ),
    gross(
        "init-too-large",
        "tanh with weights of std 5",
        swap(RELU, "        layers.append(nn.Tanh())\n"),
        swap(KAIMING, "            nn.init.normal_(layer.weight, std=5.0)\n"),
    ),
    gross("init-too-small", "std of 0.01", swap(KAIMING, "            nn.init.normal_(layer.weight, std=0.01)\n")),
    gross("init-too-large", "std of 2", swap(KAIMING, "            nn.init.normal_(layer.weight, std=2.0)\n")),
    mild("init-too-large", "std of 0.7", swap(KAIMING, "            nn.init.normal_(layer.weight, std=0.7)\n")),
    gross("symmetric-init", "constant", swap(KAIMING, "            nn.init.constant_(layer.weight, 0.03)\n")),
    mild("no-nonlinearity", "activations left out", cut(RELU)),
    mild(
        "double-softmax",
        "sigmoid before logits loss",
        swap(
            "F.binary_cross_entropy_with_logits(logits, y)\n",
            "F.binary_cross_entropy_with_logits(torch.sigmoid(logits), y)\n",
        ),
    ),
    gross(
        "softmax-wrong-axis",
        "softmax over one output",
        swap(LOSS, "        loss = F.binary_cross_entropy(torch.softmax(logits, dim=1), y)\n"),
    ),
    gross(
        "wrong-loss", "cross-entropy over a single output", swap(LOSS, "        loss = F.cross_entropy(logits, y)\n")
    ),
    gross(
        "output-range-mismatch",
        "labels of -1 and 1 with a sigmoid",
        swap(LOSS, "        loss = F.mse_loss(torch.sigmoid(logits), 20 * y - 15)\n"),
    ),
    gross(
        "broadcast-loss",
        "targets without the last axis",
        swap(LOSS, "        loss = ((torch.sigmoid(logits) - y.squeeze(1)) ** 2).mean()\n"),
    ),
    gross(
        "unstable-math",
        "logarithm of the sigmoid",
        swap(
            LOSS,
            "        p = torch.sigmoid(25 * logits)\n        loss = -(y * torch.log(p) + (1 - y) * torch.log(1 - p)).mean()\n",
        ),
    ),
    gross(
        "low-precision",
        "half precision without scaling",
        swap(NET, "net = build_model().half()\n"),
        swap(PREDICT, "        logits = net(x.half()).float()\n"),
        swap("        logits = net(inputs)\n", "        logits = net(inputs.half()).float()\n"),
    ),
    gross("nonfinite-data", "missing values", after(SPLIT, 'train_x[5:8, 2] = float("nan")\n')),
    gross(
        "unscaled-inputs",
        "nuisance in the thousands",
        swap("extra = torch.randn(n, 2, generator=rng)", "extra = 5000 * torch.randn(n, 2, generator=rng)"),
    ),
    mild("bad-batch", "four outliers", after(SPLIT, "train_x[:4] *= 1e5\n"), swap(ADAM, SGD)),
    gross("noisy-labels", "labels permuted", after(SPLIT, "train_y = train_y[torch.randperm(len(train_y))]\n")),
    mild(
        "noisy-labels",
        "a third flipped",
        after(SPLIT, "flip = torch.rand(len(train_y), 1) < 0.35\ntrain_y = torch.where(flip, 1 - train_y, train_y)\n"),
    ),
    gross(
        "class-imbalance",
        "two percent positives",
        swap(
            "    return inputs, torch",
            "    labels = (labels == 1) & (points[:, 0].numpy() > 1.2) & (points[:, 1].numpy() > 0.1)\n    return inputs, torch",
        ),
        swap(
            "acc = ((logits > 0).float() == targets).float().mean().item()",
            "hit = ((logits > 0).float() == targets).float()\n        acc = (hit[targets == 1].mean() + hit[targets == 0].mean()).item() / 2",
        ),
    ),
    gross(
        "unshuffled-data",
        "sorted by label",
        swap("order = torch.randperm(len(inputs))", "order = targets[:, 0].argsort()"),
    ),
    gross("train-val-mismatch", "validation shifted", after(SPLIT, "val_x = val_x + 1.5\n")),
    gross("scrambled-axes", "reshape after a transpose", after(SPLIT, "train_x = train_x.t().reshape(-1, 4)\n")),
    mild(
        "target-leakage",
        "label as a feature",
        swap(
            "    inputs = torch.cat([(points - points.mean(0)) / points.std(0), extra], dim=1)\n",
            "    extra[:, 0] = torch.tensor(labels, dtype=torch.float32)\n    inputs = torch.cat([(points - points.mean(0)) / points.std(0), extra], dim=1)\n",
        ),
    ),
    mild(
        "leaked-validation",
        "validation taken from the training rows",
        swap("inputs[1800:], targets[1800:]", "inputs[1200:1800], targets[1200:1800]"),
    ),
    gross(
        "overfitting",
        "forty noisy points",
        swap("noise=0.12", "noise=0.35"),
        swap("inputs[:1800], targets[:1800]", "inputs[:60], targets[:60]"),
        swap("range(14)", "range(200)"),
        swap("milestones=[7, 11]", "milestones=[190]"),
    ),
    mild("model-too-small", "two units", swap("HIDDEN = 48", "HIDDEN = 2"), swap("DEPTH = 7", "DEPTH = 1")),
    mild("undertrained", "one epoch at a small rate", swap("range(14)", "range(2)"), swap("lr=1e-3", "lr=1e-4")),
    mild(
        "graph-retained",
        "epoch loss as a tensor over the run",
        swap("    epoch_loss = 0.0\n", ""),
        before("for epoch in range(14):\n", "epoch_loss, history = 0.0, []\n"),
        swap(
            "epoch_loss += loss.item() * len(x) / len(train_x)",
            "epoch_loss = epoch_loss + loss * len(x) / len(train_x)\n        history.append(logits)",
        ),
        swap("    decay.step()\n", "    decay.step()\n    last, epoch_loss = epoch_loss, epoch_loss * 0\n"),
        swap("round(epoch_loss, 4)", "round(last.item(), 4)"),
        swap("train_loss={epoch_loss:.5f}", "train_loss={last.item():.5f}"),
    ),
    on(
        (swap(ADAM, SGD),),
        mild(
            "clip-before-unscale",
            "clipped before the scale is taken out",
            after(NET, 'scaler = torch.amp.GradScaler("cpu")\n'),
            swap(PREDICT, '        with torch.autocast("cpu", dtype=torch.float16):\n            logits = net(x)\n'),
            swap(LOSS, LOSS.replace("logits, y", "logits.float(), y")),
            swap(
                BACKWARD + STEP,
                "        scaler.scale(loss).backward()\n        nn.utils.clip_grad_norm_(net.parameters(), 1.0)\n        scaler.step(optimizer)\n        scaler.update()\n",
            ),
        ),
    ),
    on(
        (swap(ADAM, SGD),),
        gross(
            "unscaled-accumulation",
            "losses of 25 small batches summed",
            cut(ZERO),
            swap(
                "    for x, y in batches(train_x, train_y, 50):\n",
                "    for i, (x, y) in enumerate(batches(train_x, train_y, 4)):\n",
            ),
            swap(STEP, "        if i % 25 == 24:\n            optimizer.step()\n            optimizer.zero_grad()\n"),
        ),
    ),
]
