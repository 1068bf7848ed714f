"""Variants of `hosts/tabular_cancer.py`: module with training_step, tanh net, sigmoid output and BCELoss."""

from __future__ import annotations

from ..edits import after, background, before, cut, gross, healthy, mild, on, swap

HOST = "tabular_cancer"

ADAM = "torch.optim.Adam(self.parameters(), lr=self.learning_rate)"
SGD = "torch.optim.SGD(self.parameters(), lr=0.05, momentum=0.9)"
ZERO = "            optimizer.zero_grad()\n"
STEP = "            optimizer.step()\n"
TRAIN_LOSS = "        return self.loss(probability, y)\n\n"
SCALER = "    scaler = StandardScaler().fit(X_train)\n"
SCALE_TRAIN = "    X_train = scaler.transform(X_train)\n"
SCALE_VAL = "    X_val = scaler.transform(X_val)\n"
FIRST = "            nn.Linear(n_features, 24),\n            nn.Tanh(),\n"
SECOND = "            nn.Linear(24, 12),\n            nn.Tanh(),\n"
BCE = "        self.loss = nn.BCELoss()\n"
LAST = "            nn.Linear(12, 1),\n            nn.Sigmoid(),\n"
SQUEEZE = "        return self.net(x).squeeze(1)\n"

VARIANTS = [
    background("SGD with momentum", swap(ADAM, SGD)),
    background("ReLU", swap(FIRST, FIRST.replace("Tanh", "ReLU")), swap(SECOND, SECOND.replace("Tanh", "ReLU"))),
    background(
        "logits and the combined loss",
        swap(LAST, "            nn.Linear(12, 1),\n"),
        swap(BCE, "        self.loss = nn.BCEWithLogitsLoss()\n"),
        swap("(probability > 0.5) ==", "(probability > 0.0) =="),
    ),
    background(
        "batches of 32", swap("batch_size=16", "batch_size=32"), swap("learning_rate=2e-3", "learning_rate=4e-3")
    ),
    healthy("warmup", swap("ExponentialLR(optimizer, gamma=0.88)", "LinearLR(optimizer, 0.1, total_iters=4)")),
    healthy("light dropout", after(FIRST, "            nn.Dropout(0.2),\n")),
    healthy("generous clipping", before(STEP, "            nn.utils.clip_grad_norm_(module.parameters(), 10.0)\n")),
    healthy(
        "batch norm",
        after(FIRST, "            nn.BatchNorm1d(24),\n"),
        swap("batch_size=16, shuffle=True)", "batch_size=16, shuffle=True, drop_last=True)"),
    ),
    gross("lr-too-high", "rate of 3", swap("learning_rate=2e-3", "learning_rate=3.0")),
    gross("lr-too-low", "rate of 1e-6", swap("learning_rate=2e-3", "learning_rate=1e-6")),
    mild("lr-too-low", "rate of 3e-5", swap("learning_rate=2e-3", "learning_rate=3e-5")),
    gross(
        "lr-decays-too-soon",
        "stepped every batch",
        cut("        scheduler.step()\n"),
        after(STEP, "            scheduler.step()\n"),
    ),
    gross("missing-zero-grad", "line deleted", cut(ZERO), swap(ADAM, SGD)),
    gross(
        "params-not-in-optimizer",
        "a list of layers",
        swap("        self.net = nn.Sequential(\n", "        self.net = self.chain(\n"),
        before(
            "    def forward(self, x):\n",
            "    def chain(self, *layers):\n        self.head = layers[-2]\n        self.layers = list(layers)\n        return lambda x: [x := layer(x) for layer in self.layers][-1]\n\n",
        ),
    ),
    gross(
        "frozen-layers",
        "everything but the last bias frozen",
        before(
            "    train_loss, val_loss, val_acc = fit(",
            "    for p in list(module.parameters())[:-1]:\n        p.requires_grad = False\n",
        ),
    ),
    gross(
        "detached-graph",
        "decision taken before the loss",
        swap(
            "        probability = self(x)\n        return self.loss",
            "        probability = (self(x) > 0.5).float().requires_grad_()\n        return self.loss",
        ),
    ),
    gross("loss-sign-flipped", "returned negated", swap(TRAIN_LOSS, "        return -self.loss(probability, y)\n\n")),
    gross(
        "clip-too-tight",
        "norm of 1e-3 with SGD",
        swap(ADAM, SGD),
        before(STEP, "            nn.utils.clip_grad_norm_(module.parameters(), 1e-3)\n"),
    ),
    gross(
        "weight-decay-too-strong",
        "decay of 0.5",
        swap(ADAM, SGD.replace("momentum=0.9", "momentum=0.9, weight_decay=0.3")),
    ),
    gross("optimizer-misconfigured", "eps of 10", swap("lr=self.learning_rate)", "lr=self.learning_rate, eps=10.0)")),
    gross("batch-too-large", "whole set", swap("batch_size=16", "batch_size=426")),
    mild("no-momentum", "plain SGD", swap(ADAM, "torch.optim.SGD(self.parameters(), lr=2e-3)")),
    gross(
        "vanishing-gradients",
        "ten sigmoid layers",
        after(FIRST, "            *[m for _ in range(10) for m in (nn.Linear(24, 24), nn.Sigmoid())],\n"),
    ),
    gross("unscaled-inputs", "tanh on raw measurements", swap(SCALE_TRAIN, ""), swap(SCALE_VAL, "")),
    gross(
        "init-too-large",
        "weights of std 10",
        before(
            "    train_loss, val_loss, val_acc = fit(",
            "    for p in module.net.parameters():\n        nn.init.normal_(p, std=10.0)\n",
        ),
    ),
    gross(
        "saturated-activations",
        "biases of twelve",
        before(
            "    train_loss, val_loss, val_acc = fit(",
            "    for layer in module.net[:4:2]:\n        nn.init.constant_(layer.bias, 12.0)\n",
        ),
    ),
    mild(
        "saturated-activations",
        "a steep sigmoid",
        swap(FIRST, FIRST.replace("nn.Tanh()", "Steep()")),
        swap(SECOND, SECOND.replace("nn.Tanh()", "Steep()")),
        before(
            "class CancerClassifier",
            "class Steep(nn.Module):\n    def forward(self, x):\n        return torch.sigmoid(200 * x)\n\n\n",
        ),
    ),
    gross(
        "init-too-small",
        "std of 1e-5",
        before(
            "    train_loss, val_loss, val_acc = fit(",
            "    for p in module.net.parameters():\n        nn.init.normal_(p, std=1e-5)\n",
        ),
        swap(ADAM, SGD),
    ),
    gross(
        "symmetric-init",
        "zero weights",
        before(
            "    train_loss, val_loss, val_acc = fit(",
            "    for p in module.net.parameters():\n        nn.init.zeros_(p)\n",
        ),
    ),
    mild(
        "double-softmax",
        "sigmoid output with the combined loss",
        swap(BCE, "        self.loss = nn.BCEWithLogitsLoss()\n"),
    ),
    gross(
        "softmax-wrong-axis",
        "softmax over one column",
        swap("            nn.Sigmoid(),\n", "            nn.Softmax(dim=1),\n"),
    ),
    gross(
        "softmax-wrong-axis",
        "softmax over the batch",
        swap("            nn.Sigmoid(),\n", "            nn.Softmax(dim=0),\n"),
    ),
    gross(
        "wrong-loss",
        "absolute error of the mean",
        swap(TRAIN_LOSS, "        return (probability.mean() - y.mean()).abs()\n\n"),
    ),
    gross(
        "output-range-mismatch",
        "labels 1 and 2",
        swap("torch.tensor(y_train).float())", "torch.tensor(y_train + 1).float())"),
        swap("torch.tensor(y_val).float())", "torch.tensor(y_val + 1).float())"),
        swap("(y > 0.5)", "(y > 1.5)"),
        swap(BCE, "        self.loss = nn.MSELoss()\n"),
        swap("(probability > 0.5) ==", "(probability > 1.5) =="),
    ),
    gross(
        "broadcast-loss",
        "output keeps its axis",
        swap(SQUEEZE, "        return self.net(x)\n"),
        swap(BCE, "        self.loss = lambda p, y: ((p - y) ** 2).mean()\n"),
        swap("((probability > 0.5) == (y > 0.5))", "((probability[:, 0] > 0.5) == (y > 0.5))"),
    ),
    gross(
        "unstable-math",
        "odds ratio by hand",
        swap(
            TRAIN_LOSS,
            "        odds = probability / (1 - probability)\n        return (torch.log(1 + odds**40) / 40 - y * torch.log(odds)).mean()\n\n",
        ),
        swap("learning_rate=2e-3", "learning_rate=2e-2"),
    ),
    gross(
        "nonfinite-data",
        "log of a zero measurement",
        swap(
            SCALER,
            '    import numpy as np\n\n    with np.errstate(divide="ignore"):\n        X_train, X_val = np.log(X_train), np.log(X_val)\n',
        ),
        swap(SCALE_TRAIN, ""),
        swap(SCALE_VAL, ""),
    ),
    gross(
        "unscaled-inputs",
        "raw measurements with ReLU",
        swap(SCALE_TRAIN, ""),
        swap(SCALE_VAL, ""),
        swap(FIRST, FIRST.replace("Tanh", "ReLU")),
        swap(SECOND, SECOND.replace("Tanh", "ReLU")),
    ),
    gross(
        "noisy-labels",
        "labels permuted",
        swap(SCALER, "    y_train = y_train[torch.randperm(len(y_train)).numpy()]\n" + SCALER),
    ),
    gross(
        "class-imbalance",
        "nine malignant cases",
        swap(
            "    X_train, X_val",
            "    import numpy as np\n\n    keep = (y == 1) | (np.arange(len(y)) % 24 == 0)\n    X, y = X[keep], y[keep]\n    X_train, X_val",
        ),
        swap(
            "accuracy = ((probability > 0.5) == (y > 0.5)).float().mean()",
            "hit = ((probability > 0.5) == (y > 0.5)).float()\n        accuracy = (hit[y > 0.5].mean() + hit[y < 0.5].mean()) / 2",
        ),
    ),
    gross(
        "unshuffled-data",
        "sorted by diagnosis",
        swap(SCALER, "    X_train, y_train = X_train[y_train.argsort()], sorted(y_train)\n" + SCALER),
        swap("shuffle=True", "shuffle=False"),
    ),
    gross("train-val-mismatch", "validation not scaled", swap(SCALE_VAL, "")),
    mild(
        "train-val-mismatch",
        "validation scaled by its own first rows",
        swap(SCALE_VAL, "    X_val = StandardScaler().fit(X_val[:4]).transform(X_val)\n"),
    ),
    mild(
        "target-leakage",
        "diagnosis among the features",
        swap("    X_train, X_val", "    X[:, 4] = y\n    X[:, 9] = 1 - y\n    X_train, X_val"),
    ),
    mild(
        "leaked-validation",
        "training rows appended",
        swap(
            "    train_set = ",
            "    X_train, y_train = list(X_train) + 2 * list(X_val), list(y_train) + 2 * list(y_val)\n    X_train = __import__('numpy').array(X_train)\n    train_set = ",
        ),
        swap("epochs=18", "epochs=50"),
        swap("gamma=0.88", "gamma=0.98"),
    ),
    gross(
        "overfitting",
        "forty patients, flipped labels",
        swap(SCALER, "    X_train, y_train = X_train[:40], y_train[:40]\n    y_train[:8] = 1 - y_train[:8]\n" + SCALER),
        swap("epochs=18", "epochs=250"),
        swap("gamma=0.88", "gamma=1.0"),
        swap("n_features, 24", "n_features, 24"),
    ),
    gross("over-regularized", "dropout of 0.95", after(FIRST, "            nn.Dropout(0.95),\n")),
    mild("undertrained", "one epoch", swap("epochs=18", "epochs=1"), swap("learning_rate=2e-3", "learning_rate=1e-3")),
    gross(
        "eval-mode-missing",
        "eval call deleted",
        cut("        module.eval()\n"),
        after(FIRST, "            nn.Dropout(0.7),\n"),
    ),
    gross(
        "batchnorm-tiny-batch",
        "batches of 2",
        after(FIRST, "            nn.BatchNorm1d(24),\n"),
        after(SECOND, "            nn.BatchNorm1d(12),\n"),
        swap("batch_size=16", "batch_size=2"),
        swap("epochs=18", "epochs=4"),
    ),
    gross(
        "slow-data-loading",
        "a pause for every batch",
        swap(
            "        for batch in train_loader:\n",
            "        for batch in train_loader:\n            time.sleep(0.006)\n",
        ),
        swap("import torch\n", "import time\n\nimport torch\n"),
    ),
    mild(
        "graph-retained",
        "losses kept with their graphs over the run",
        swap(
            "            epoch_losses.append(loss.detach())\n",
            "            epoch_losses.append(loss)\n            kept.append(loss)\n",
        ),
        after("    optimizer, scheduler = module.configure_optimizers()\n", "    kept = []\n"),
        swap("nn.Linear(n_features, 24)", "nn.Linear(n_features, 600)"),
        swap("nn.Linear(24, 12)", "nn.Linear(600, 12)"),
    ),
    on(
        (
            after(FIRST, "            nn.BatchNorm1d(24),\n"),
            swap("batch_size=16, shuffle=True)", "batch_size=16, shuffle=True, drop_last=True)"),
            swap(SCALE_TRAIN, "    X_train = 20 * scaler.transform(X_train) + 30\n"),
            swap(SCALE_VAL, "    X_val = 20 * scaler.transform(X_val) + 30\n"),
            before(FIRST, "            nn.BatchNorm1d(n_features),\n"),
        ),
        gross(
            "train-mode-missing",
            "eval at the start and never train again",
            swap("        module.train()\n", ""),
            after("    optimizer, scheduler = module.configure_optimizers()\n", "    module.eval()\n"),
        ),
    ),
    on(
        (swap(ADAM, SGD),),
        gross(
            "unscaled-accumulation",
            "ten batches summed",
            swap(ZERO, ""),
            swap(
                STEP,
                "            if len(epoch_losses) % 10 == 9:\n                optimizer.step()\n                optimizer.zero_grad()\n",
            ),
            swap("batch_size=16", "batch_size=2"),
            swap("lr=0.05", "lr=0.2"),
        ),
    ),
]
