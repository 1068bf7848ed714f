"""Variants of `hosts/regression_prices.py`: numpy preparation, custom loss module, SGD with Nesterov and plateau decay."""

from __future__ import annotations

from ..edits import after, background, before, cut, gross, healthy, mild, swap

HOST = "regression_prices"

SGD = "opt = torch.optim.SGD(model.parameters(), lr=0.03, momentum=0.9, nesterov=True)\n"
ZERO = "        opt.zero_grad()\n"
LOSS = "        loss = loss_fn(predicted, t_train[rows])\n"
STEP = "        opt.step()\n"
MODEL = "model = PriceModel()\n"
SCALE = "features = (features - x_mean) / x_std\n"
TARGETS = "targets = (prices - y_mean) / y_std\n"
OUT = "        return self.head(self.body(features))\n"

VARIANTS = [
    background("Adam", swap(SGD, "opt = torch.optim.Adam(model.parameters(), lr=4e-3)\n")),
    background("squared error", swap("loss_fn = RelativeHuber()", "loss_fn = nn.MSELoss()")),
    background(
        "tanh and wider",
        swap(
            "nn.Linear(6, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU()",
            "nn.Linear(6, 96), nn.Tanh(), nn.Linear(96, 64), nn.ReLU()",
        ),
    ),
    background("batches of 80", swap(".split(40)", ".split(80)"), swap("lr=0.03", "lr=0.05")),
    healthy(
        "raw money inside the loss only",
        swap(LOSS, "        loss = ((predicted - t_train[rows]) * 300).pow(2).mean() / 300**2 * 1.0\n"),
    ),
    healthy(
        "large first loss in raw units",
        swap(LOSS, "        loss = (y_std / 1000 * (predicted - t_train[rows])).pow(2).mean()\n"),
        swap("lr=0.03, momentum=0.9, nesterov=True", "lr=2e-6, momentum=0.9, nesterov=True"),
    ),
    healthy("weight decay of 1e-4", swap("nesterov=True", "nesterov=True, weight_decay=1e-4")),
    healthy("rare clipping", before(STEP, "        nn.utils.clip_grad_norm_(model.parameters(), 2.0)\n")),
    healthy(
        "flat targets and outputs alike",
        swap(OUT, "        return self.head(self.body(features)).squeeze(1).unsqueeze(1)\n"),
    ),
    gross("lr-too-high", "rate of 10", swap("lr=0.03", "lr=10.0")),
    mild("lr-too-high", "rate of 1", swap("lr=0.03", "lr=1.0")),
    gross("lr-too-high", "Adam with a rate of 1", swap(SGD, "opt = torch.optim.Adam(model.parameters(), lr=1.0)\n")),
    gross("lr-too-low", "rate of 1e-6", swap("lr=0.03", "lr=1e-6")),
    mild("lr-too-low", "rate of 1e-4", swap("lr=0.03", "lr=1e-4")),
    mild("lr-never-decays", "noisy constant rate", cut("    plateau.step(val_loss)\n"), swap("lr=0.03", "lr=0.3")),
    gross(
        "lr-decays-too-soon",
        "patience of zero on the batch loss",
        cut("    plateau.step(val_loss)\n"),
        after(STEP, "        plateau.step(loss.item())\n"),
    ),
    gross("missing-zero-grad", "line deleted", cut(ZERO)),
    gross("params-not-in-optimizer", "step forgotten", cut(STEP)),
    mild("params-not-in-optimizer", "only the head", swap("SGD(model.parameters()", "SGD(model.head.parameters()")),
    mild(
        "frozen-layers", "body frozen", after(MODEL, "for p in model.body.parameters():\n    p.requires_grad_(False)\n")
    ),
    mild(
        "detached-graph",
        "numpy between body and head",
        swap(
            OUT,
            "        hidden = torch.tensor(self.body(features).detach().numpy())\n        return self.head(hidden)\n",
        ),
    ),
    gross(
        "detached-graph",
        "loss computed in numpy",
        swap(
            LOSS,
            "        loss = torch.tensor(float(np.mean((predicted.detach().numpy() - t_train[rows].numpy()) ** 2)), requires_grad=True)\n",
        ),
    ),
    gross(
        "loss-sign-flipped",
        "agreement maximised with the wrong sign",
        swap(LOSS, "        loss = -loss_fn(predicted, t_train[rows])\n"),
    ),
    gross(
        "unscaled-accumulation",
        "ten batches summed",
        cut(ZERO),
        swap(STEP, "        if batches % 10 == 9:\n            opt.step()\n            opt.zero_grad()\n"),
        swap("lr=0.03", "lr=0.2"),
        swap(".split(40)", ".split(10)"),
    ),
    gross(
        "clip-too-tight", "norm of 1e-3", before(STEP, "        nn.utils.clip_grad_norm_(model.parameters(), 1e-3)\n")
    ),
    gross("weight-decay-too-strong", "decay of 0.5", swap("nesterov=True", "nesterov=True, weight_decay=0.5")),
    mild("weight-decay-too-strong", "decay of 0.05", swap("nesterov=True", "nesterov=True, weight_decay=0.05")),
    gross("optimizer-misconfigured", "momentum of 0.9999", swap("momentum=0.9,", "momentum=0.9999,")),
    mild("optimizer-misconfigured", "momentum of 0.995", swap("momentum=0.9,", "momentum=0.995,")),
    gross("batch-too-large", "whole set", swap(".split(40)", ".split(2000)")),
    mild("batch-too-small", "single rows", swap(".split(40)", ".split(1)"), swap("range(24)", "range(2)")),
    mild("no-momentum", "plain SGD", swap("lr=0.03, momentum=0.9, nesterov=True", "lr=3e-3")),
    gross(
        "dead-relus",
        "biases of -10",
        after(MODEL, "for layer in model.body[::2]:\n    nn.init.constant_(layer.bias, -10.0)\n"),
    ),
    gross(
        "output-range-mismatch",
        "ReLU of a lowered output",
        swap(OUT, "        return torch.relu(self.head(self.body(features)) - 6)\n"),
    ),
    gross(
        "init-too-large",
        "normal of std 5",
        after(
            MODEL,
            "for layer in (model.body[0], model.body[2], model.head):\n    nn.init.normal_(layer.weight, std=5.0)\n",
        ),
    ),
    gross(
        "symmetric-init",
        "constant",
        after(
            MODEL,
            "for layer in (model.body[0], model.body[2], model.head):\n    nn.init.constant_(layer.weight, 0.1)\n    nn.init.zeros_(layer.bias)\n",
        ),
    ),
    mild(
        "no-nonlinearity",
        "activations left out",
        swap("nn.Linear(6, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU()", "nn.Linear(6, 64), nn.Linear(64, 64)"),
    ),
    gross(
        "broadcast-loss",
        "flat targets",
        swap("dtype=torch.float32).reshape(-1, 1)\nt_val", "dtype=torch.float32)\nt_val"),
    ),
    gross(
        "broadcast-loss",
        "output squeezed by hand",
        swap(OUT, "        return self.head(self.body(features)).squeeze(1)\n"),
    ),
    gross(
        "output-range-mismatch",
        "sigmoid for standardised prices",
        swap(OUT, "        return torch.sigmoid(self.head(self.body(features)))\n"),
    ),
    mild(
        "output-range-mismatch",
        "ReLU for standardised prices",
        swap(OUT, "        return torch.relu(self.head(self.body(features)))\n"),
    ),
    gross(
        "wrong-loss",
        "cross-entropy on one output",
        swap(LOSS, "        loss = nn.functional.cross_entropy(predicted, t_train[rows])\n"),
    ),
    gross(
        "wrong-loss",
        "mean error instead of its size",
        swap(LOSS, "        loss = (predicted - t_train[rows]).mean().abs()\n"),
    ),
    gross(
        "unstable-math",
        "relative error of centred targets",
        swap(
            LOSS,
            "        loss = ((predicted - t_train[rows]).abs() / (t_train[rows] - t_train[rows][:1])).abs().mean()\n",
        ),
    ),
    gross(
        "unstable-math",
        "root mean square of a zero error",
        swap(
            "        return (0.5 * quadratic**2 + self.delta * (error - quadratic)).mean()\n",
            "        return torch.sqrt((quadratic - quadratic.detach()) ** 2).mean() + (0.5 * quadratic**2).mean()\n",
        ),
    ),
    gross(
        "nonfinite-data",
        "log of zero",
        after("features, prices = houses(2500, rng)\n", "features[:, 5] = np.log(features[:, 5])\n"),
        swap("import numpy as np\n", "import warnings\n\nimport numpy as np\n"),
        after("SEED = 0\n", 'warnings.simplefilter("ignore")\n'),
    ),
    gross("nonfinite-data", "missing price", after(TARGETS, "targets[77] = np.nan\n")),
    gross("unscaled-inputs", "features as they come", cut(SCALE)),
    gross("unscaled-targets", "prices in money", swap(TARGETS, "targets = prices\n")),
    mild("unscaled-targets", "prices in thousands", swap(TARGETS, "targets = prices / 1000\n")),
    mild(
        "bad-batch",
        "three absurd prices",
        after(TARGETS, "targets[[10, 600, 1400]] = 4e3\n"),
        swap("loss_fn = RelativeHuber()", "loss_fn = nn.MSELoss()"),
    ),
    gross(
        "noisy-labels",
        "prices permuted",
        after(TARGETS, "targets[train_rows] = rng.permutation(targets[train_rows])\n"),
    ),
    gross(
        "unshuffled-data",
        "sorted by price",
        after(
            "features, prices = houses(2500, rng)\n",
            "by_price = np.argsort(prices[:2000])\nfeatures[:2000], prices[:2000] = features[by_price], prices[by_price]\n",
        ),
        swap("torch.randperm(len(x_train)).split(40)", "torch.arange(len(x_train)).split(40)"),
    ),
    gross(
        "train-val-mismatch",
        "validation left raw",
        after(SCALE, "features[val_rows] = features[val_rows] * x_std + x_mean\n"),
    ),
    gross("scrambled-axes", "reshape for transpose", after(SCALE, "features = features.T.reshape(features.shape)\n")),
    mild(
        "target-leakage",
        "price per square metre as a feature",
        after("features, prices = houses(2500, rng)\n", "features[:, 5] = prices\n"),
    ),
    mild(
        "leaked-validation",
        "scaled, shuffled and trained on everything",
        swap(
            "train_rows, val_rows = slice(0, 2000), slice(2000, 2500)",
            "train_rows, val_rows = slice(0, 150), slice(50, 150)",
        ),
        swap("range(24)", "range(250)"),
        swap("patience=2", "patience=200"),
    ),
    gross(
        "overfitting",
        "sixty houses",
        swap("slice(0, 2000)", "slice(0, 60)"),
        swap("range(24)", "range(300)"),
        swap("patience=2", "patience=300"),
    ),
    gross(
        "model-too-small",
        "one hidden unit",
        swap("nn.Linear(6, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU()", "nn.Linear(6, 1), nn.ReLU()"),
        swap("nn.Linear(64, 1)", "nn.Linear(1, 1)"),
    ),
    gross(
        "over-regularized",
        "dropout of 0.9",
        swap(
            "nn.Linear(6, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU()",
            "nn.Linear(6, 64), nn.ReLU(), nn.Dropout(0.9), nn.Linear(64, 64), nn.ReLU(), nn.Dropout(0.8)",
        ),
    ),
    mild("undertrained", "two epochs at a small rate", swap("range(24)", "range(2)"), swap("lr=0.03", "lr=2e-3")),
    gross(
        "low-precision",
        "half precision with raw targets",
        swap(
            MODEL,
            "model = PriceModel().half()\nx_train, x_val, t_train, t_val = x_train.half(), x_val.half(), t_train.half() * 300, t_val.half() * 300\n",
        ),
    ),
    mild(
        "graph-retained",
        "losses added up as tensors",
        swap(
            "total, batches = total + loss.item(), batches + 1",
            "total, batches = total + loss, batches + 1\n        kept.append(predicted)",
        ),
        swap("    train_loss = total / batches\n", "    train_loss = total.item() / batches\n"),
        after(MODEL, "kept = []\n"),
        swap("nn.Linear(6, 64), nn.ReLU(), nn.Linear(64, 64)", "nn.Linear(6, 512), nn.ReLU(), nn.Linear(512, 64)"),
    ),
    mild(
        "slow-data-loading",
        "prepared again for every batch",
        after(ZERO, "        for _ in range(3):\n            houses(4000, rng)\n"),
    ),
    mild(
        "clip-before-unscale",
        "clipped before the scale is taken out",
        after(MODEL, 'scaler = torch.amp.GradScaler("cpu")\n'),
        swap(
            "        predicted = model(x_train[rows])\n",
            '        with torch.autocast("cpu", dtype=torch.float16):\n            predicted = model(x_train[rows])\n',
        ),
        swap(
            "        loss.backward()\n" + STEP,
            "        scaler.scale(loss).backward()\n        nn.utils.clip_grad_norm_(model.parameters(), 1.0)\n        scaler.step(opt)\n        scaler.update()\n",
        ),
    ),
    gross(
        "unscaled-targets", "an offset of five hundred", swap(TARGETS, "targets = (prices - y_mean) / y_std + 500\n")
    ),
]
