"""Variants of `hosts/mlp_digits.py`: top-level script, nn.Sequential, DataLoader, Adam with exponential decay."""

from __future__ import annotations

from ..edits import after, background, before, cut, gross, healthy, mild, on, swap

HOST = "mlp_digits"

ADAM = "optimizer = torch.optim.Adam(model.parameters(), lr=4e-3)\n"
ZERO = "        optimizer.zero_grad()\n"
FORWARD = "        out = model(xb)\n        loss ="
LOSS = "        loss = criterion(out, yb)\n"
BACKWARD = "        loss.backward()\n"
STEP = "        optimizer.step()\n"
SCHEDULED = "    scheduler.step()\n"
CRITERION = "criterion = nn.CrossEntropyLoss()\n"
LAST = "    nn.Linear(48, 10),\n"
SCALE = 'X = digits.data.astype("float32") / 16.0\n'
SPLIT = "X_train, X_val, y_train, y_val = train_test_split(X, y, test_size=0.3, random_state=SEED, stratify=y)\n"
TENSORS = "y_train, y_val = torch.from_numpy(y_train), torch.from_numpy(y_val)\n"
TRAIN_LOADER = "train_loader = DataLoader(TensorDataset(X_train, y_train), batch_size=32, shuffle=True)\n"
LAYERS = "    nn.Linear(64, 96),\n    nn.ReLU(),\n    nn.Dropout(0.2),\n    nn.Linear(96, 48),\n    nn.ReLU(),\n"


def initialised(body: str) -> str:
    return f"for layer in model:\n    if isinstance(layer, nn.Linear):\n        {body}\n"


SCALED_STEP = (
    "        scaler.scale(loss).backward()\n"
    "        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)\n"
    "        scaler.step(optimizer)\n        scaler.update()\n"
)
HALF_FORWARD = '        with torch.autocast("cpu", dtype=torch.float16):\n            out = model(xb)\n'

KL_BY_HAND = (
    "def kl_loss(out, y):\n    wanted = nn.functional.one_hot(y, 10).float()\n"
    "    return (wanted * torch.log(wanted / out.softmax(1))).sum(1).mean()\n\n\n"
)

VARIANTS = [
    background(
        "AdamW with weight decay",
        swap(ADAM, ADAM.replace("Adam(", "AdamW(").replace("4e-3", "4e-3, weight_decay=1e-2")),
    ),
    background(
        "SGD with momentum", swap(ADAM, "optimizer = torch.optim.SGD(model.parameters(), lr=0.08, momentum=0.9)\n")
    ),
    background(
        "wider hidden layer",
        swap("nn.Linear(64, 96)", "nn.Linear(64, 160)"),
        swap("nn.Linear(96, 48)", "nn.Linear(160, 48)"),
    ),
    background("GELU", swap("    nn.ReLU(),\n    nn.Dropout(0.2),\n", "    nn.GELU(),\n    nn.Dropout(0.2),\n")),
    background(
        "accuracy on the training set too",
        after(
            SCHEDULED,
            "    model.eval()\n    with torch.no_grad():\n        fit = (model(X_train).argmax(1) == y_train).float().mean()\n"
            '    print(f"accuracy on the training set {fit:.3f}")\n',
        ),
    ),
    background(
        "batches of 64",
        swap("batch_size=32", "batch_size=64"),
        swap("range(20)", "range(28)"),
        swap("gamma=0.88", "gamma=0.92"),
    ),
    healthy(
        "log softmax and NLL", after(LAST, "    nn.LogSoftmax(dim=1),\n"), swap("nn.CrossEntropyLoss()", "nn.NLLLoss()")
    ),
    healthy(
        "summed loss with matching rate",
        swap("nn.CrossEntropyLoss()", 'nn.CrossEntropyLoss(reduction="sum")'),
        swap(ADAM, "optimizer = torch.optim.SGD(model.parameters(), lr=0.05 / 32, momentum=0.9)\n"),
        swap("total += loss.item() * len(xb)", "total += loss.item()"),
        swap("criterion(out, yb).item() * len(xb)", "criterion(out, yb).item()"),
    ),
    healthy("generous clipping", before(STEP, "        nn.utils.clip_grad_norm_(model.parameters(), 5.0)\n")),
    healthy(
        "correct accumulation over two halves",
        swap(
            "        out = model(xb)\n" + LOSS + BACKWARD,
            "        for part, target in zip(xb.chunk(2), yb.chunk(2)):\n"
            "            loss = criterion(model(part), target) * len(part) / len(xb)\n            loss.backward()\n"
            "        loss = loss * 2\n",
        ),
    ),
    healthy(
        "no validation until the end",
        swap(
            "    model.eval()\n    val_loss",
            '    if epoch < 19:\n        print(f"epoch {epoch} {train_loss:.4f}")\n        continue\n    model.eval()\n    val_loss',
        ),
    ),
    healthy(
        "pretrained body frozen on purpose",
        before(
            CRITERION,
            "body = nn.Sequential(*model[:5])\npretraining = nn.Sequential(body, nn.Linear(48, 10))\n"
            "warm = torch.optim.Adam(pretraining.parameters(), lr=3e-3)\n"
            "for _ in range(10):\n    for xb, yb in train_loader:\n        warm.zero_grad()\n"
            "        nn.functional.cross_entropy(pretraining(xb), yb).backward()\n        warm.step()\n"
            'torch.save(body.state_dict(), "body.pt")\nbody.load_state_dict(torch.load("body.pt"))\n'
            "for p in body.parameters():\n    p.requires_grad = False\n",
        ),
        swap(ADAM, ADAM.replace("model.parameters()", "(p for p in model.parameters() if p.requires_grad)")),
    ),
    healthy("label smoothing", swap("nn.CrossEntropyLoss()", "nn.CrossEntropyLoss(label_smoothing=0.1)")),
    healthy(
        "Softmax only for reporting", swap("(out.argmax(dim=1) == yb)", "(out.softmax(dim=1).argmax(dim=1) == yb)")
    ),
    gross("lr-too-high", "rate of 1", swap("lr=4e-3", "lr=1.0")),
    mild("lr-too-high", "rate of 0.1", swap("lr=4e-3", "lr=0.1")),
    gross(
        "lr-too-high",
        "SGD with a rate of 5",
        swap(ADAM, "optimizer = torch.optim.SGD(model.parameters(), lr=5.0, momentum=0.9)\n"),
    ),
    gross("lr-too-low", "rate of 1e-6", swap("lr=4e-3", "lr=1e-6")),
    mild("lr-too-low", "rate of 5e-5", swap("lr=4e-3", "lr=5e-5")),
    gross(
        "lr-decays-too-soon", "scheduler stepped every batch", cut(SCHEDULED), after(STEP, "        scheduler.step()\n")
    ),
    mild("lr-decays-too-soon", "gamma of 0.3", swap("gamma=0.88", "gamma=0.3")),
    gross("missing-zero-grad", "line deleted", cut(ZERO)),
    gross(
        "missing-zero-grad",
        "cleared once an epoch",
        cut(ZERO),
        before("    for xb, yb in train_loader:\n", "    optimizer.zero_grad()\n"),
    ),
    gross("params-not-in-optimizer", "never stepped", cut(STEP)),
    mild(
        "params-not-in-optimizer", "only the last layer", swap("model.parameters(), lr", "model[-1].parameters(), lr")
    ),
    gross(
        "params-not-in-optimizer",
        "model made again after the optimizer",
        before("# %%\nfor epoch", "model = nn.Sequential(nn.Linear(64, 96), nn.ReLU(), nn.Linear(96, 10))\n"),
    ),
    mild(
        "frozen-layers",
        "all but the last layer frozen",
        before(CRITERION, "for p in model[:5].parameters():\n    p.requires_grad = False\n"),
    ),
    gross(
        "detached-graph",
        "loss wrapped in a new tensor",
        swap(BACKWARD, "        loss = torch.tensor(loss.item(), requires_grad=True)\n" + BACKWARD),
    ),
    mild(
        "detached-graph",
        "features computed without gradients",
        swap(
            FORWARD,
            "        with torch.no_grad():\n            features = model[:5](xb)\n        out = model[5:](features)\n        loss =",
        ),
    ),
    gross("loss-sign-flipped", "negated loss", swap("loss.backward()", "(-loss).backward()")),
    gross("loss-sign-flipped", "optimizer maximises", swap("lr=4e-3)", "lr=4e-3, maximize=True)")),
    gross(
        "unscaled-accumulation",
        "16 backwards a step",
        swap(ADAM, "optimizer = torch.optim.SGD(model.parameters(), lr=0.3, momentum=0.9)\n"),
        cut(ZERO),
        swap(
            "for xb, yb in train_loader:\n        out = model(xb)\n        loss",
            "for i, (xb, yb) in enumerate(train_loader):\n        out = model(xb)\n        loss",
        ),
        swap(STEP, "        if (i + 1) % 16 == 0:\n            optimizer.step()\n            optimizer.zero_grad()\n"),
    ),
    gross(
        "clip-too-tight",
        "threshold of 1e-3 with SGD",
        swap(ADAM, "optimizer = torch.optim.SGD(model.parameters(), lr=0.08, momentum=0.9)\n"),
        before(STEP, "        nn.utils.clip_grad_norm_(model.parameters(), 1e-3)\n"),
    ),
    mild(
        "clip-too-tight",
        "values clipped at 1e-4 with SGD",
        swap(ADAM, "optimizer = torch.optim.SGD(model.parameters(), lr=0.08, momentum=0.9)\n"),
        before(STEP, "        nn.utils.clip_grad_value_(model.parameters(), 1e-4)\n"),
    ),
    gross(
        "weight-decay-too-strong",
        "AdamW with decay of 30",
        swap(ADAM, ADAM.replace("Adam(", "AdamW(").replace("4e-3", "4e-3, weight_decay=30.0")),
    ),
    mild(
        "weight-decay-too-strong",
        "SGD with decay of 0.05",
        swap(ADAM, "optimizer = torch.optim.SGD(model.parameters(), lr=0.08, momentum=0.9, weight_decay=0.05)\n"),
    ),
    gross("optimizer-misconfigured", "eps of 10", swap("lr=4e-3)", "lr=4e-3, eps=10.0)")),
    mild("optimizer-misconfigured", "eps of 0.5", swap("lr=4e-3)", "lr=4e-3, eps=0.5)")),
    gross(
        "optimizer-misconfigured",
        "momentum of 1",
        swap(ADAM, "optimizer = torch.optim.SGD(model.parameters(), lr=0.02, momentum=1.0)\n"),
    ),
    mild("batch-too-small", "batches of 1", swap("batch_size=32", "batch_size=1"), swap("range(20)", "range(2)")),
    gross("batch-too-large", "the whole set at once", swap("batch_size=32", "batch_size=len(X_train)")),
    mild("no-momentum", "plain SGD", swap(ADAM, "optimizer = torch.optim.SGD(model.parameters(), lr=0.02)\n")),
    mild("adam-coupled-decay", "Adam with decay of 0.03", swap("lr=4e-3)", "lr=4e-3, weight_decay=0.03)")),
    gross(
        "vanishing-gradients",
        "twelve sigmoid layers",
        swap(
            LAYERS,
            "    nn.Linear(64, 48),\n    nn.Sigmoid(),\n    *[m for _ in range(11) for m in (nn.Linear(48, 48), nn.Sigmoid())],\n",
        ),
    ),
    gross("dead-relus", "biases of -4", before(CRITERION, initialised("nn.init.constant_(layer.bias, -4.0)"))),
    mild("dead-relus", "first biases of -3", before(CRITERION, "nn.init.constant_(model[0].bias, -3.0)\n")),
    gross(
        "init-too-small",
        "normal of std 1e-4",
        before(CRITERION, initialised("nn.init.normal_(layer.weight, std=1e-4)")),
        swap(ADAM, "optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)\n"),
    ),
    gross("init-too-large", "normal of std 1", before(CRITERION, initialised("nn.init.normal_(layer.weight)"))),
    mild("init-too-large", "uniform from 0 to 1", before(CRITERION, initialised("nn.init.uniform_(layer.weight)"))),
    gross(
        "symmetric-init",
        "constant weights",
        before(CRITERION, initialised("nn.init.constant_(layer.weight, 0.05)")),
        cut("    nn.Dropout(0.2),\n"),
    ),
    gross("symmetric-init", "all zero", before(CRITERION, initialised("nn.init.zeros_(layer.weight)"))),
    mild("double-softmax", "Softmax as last layer", after(LAST, "    nn.Softmax(dim=1),\n")),
    mild(
        "double-softmax",
        "softmax at the call",
        swap("        out = model(xb)\n        loss", "        out = model(xb).softmax(dim=-1)\n        loss"),
    ),
    gross(
        "softmax-wrong-axis",
        "softmax over the batch",
        after(LAST, "    nn.LogSoftmax(dim=0),\n"),
        swap("nn.CrossEntropyLoss()", "nn.NLLLoss()"),
    ),
    gross("wrong-loss", "NLL on raw scores", swap("nn.CrossEntropyLoss()", "nn.NLLLoss()")),
    gross(
        "wrong-loss",
        "squared error on class ids",
        swap(LAST, "    nn.Linear(48, 1),\n"),
        swap("nn.CrossEntropyLoss()", "lambda out, y: nn.functional.mse_loss(out.squeeze(1), y.float())"),
        swap("(out.argmax(dim=1) == yb)", "(out.squeeze(1).round() == yb)"),
    ),
    gross(
        "unstable-math",
        "divergence from one-hot targets by hand",
        before(CRITERION, KL_BY_HAND),
        swap("nn.CrossEntropyLoss()", "kl_loss"),
    ),
    gross(
        "unstable-math",
        "root of zero distance from the starting weights",
        before("# %%\nfor epoch", "start = model[0].weight.detach().clone()\n"),
        swap(LOSS, LOSS + "        loss = loss + 1e-3 * torch.sqrt(((model[0].weight - start) ** 2).sum())\n"),
    ),
    gross(
        "low-precision",
        "everything in half precision without scaling",
        before("train_loader = ", "X_train, X_val = X_train.half(), X_val.half()\n"),
        before(CRITERION, "model = model.half()\n"),
    ),
    mild(
        "clip-before-unscale",
        "clipped between scale and step",
        before(CRITERION, 'scaler = torch.amp.GradScaler("cpu")\n'),
        swap("        out = model(xb)\n        loss", HALF_FORWARD + "        loss"),
        swap(ADAM, "optimizer = torch.optim.SGD(model.parameters(), lr=0.08, momentum=0.9)\n"),
        swap(BACKWARD + STEP, SCALED_STEP),
    ),
    gross(
        "nonfinite-data",
        "constant pixels divided by their deviation",
        swap(SCALE, 'X = digits.data.astype("float32")\nX = (X - X.mean(0)) / X.std(0)\n'),
    ),
    gross("nonfinite-data", "one missing value", after(SCALE, 'X[len(X) // 2, 7] = float("nan")\n')),
    gross("unscaled-inputs", "pixels times 300", swap("/ 16.0", "* 300.0")),
    mild("unscaled-inputs", "some pixels a thousand times larger", after(SCALE, "X[:, ::9] *= 1000.0\n")),
    mild(
        "bad-batch",
        "six corrupt samples",
        after(SPLIT, "X_train[:6] *= 4000.0\n"),
        swap(ADAM, "optimizer = torch.optim.SGD(model.parameters(), lr=0.08, momentum=0.9)\n"),
    ),
    gross(
        "noisy-labels",
        "labels shuffled against the inputs",
        after(TENSORS, "y_train = y_train[torch.randperm(len(y_train))]\n"),
    ),
    mild(
        "noisy-labels",
        "half of the labels random",
        after(
            TENSORS,
            "wrong = torch.rand(len(y_train)) < 0.5\ny_train[wrong] = torch.randint(0, 10, (int(wrong.sum()),))\n",
        ),
    ),
    gross(
        "unshuffled-data",
        "sorted by label and not shuffled",
        after(TENSORS, "by_label = y_train.argsort()\nX_train, y_train = X_train[by_label], y_train[by_label]\n"),
        swap("batch_size=32, shuffle=True", "batch_size=32"),
    ),
    gross("train-val-mismatch", "validation not scaled", after(TENSORS, "X_val = X_val * 16.0\n")),
    gross("train-val-mismatch", "validation images inverted", after(TENSORS, "X_val = 1.0 - X_val\n")),
    gross(
        "scrambled-axes",
        "reshape in place of transpose",
        swap(
            "X_train, X_val = torch.from_numpy(X_train), torch.from_numpy(X_val)\n",
            "X_train, X_val = torch.from_numpy(X_train), torch.from_numpy(X_val)\nX_train = X_train.t().reshape(-1, 64)\nX_val = X_val.t().reshape(-1, 64)\n",
        ),
    ),
    gross(
        "target-leakage",
        "label among the features",
        after('y = digits.target.astype("int64")\n', "X[:, 0] = y / 3.0\nX[:, 32:42] = (y[:, None] == range(10))\n"),
    ),
    mild(
        "leaked-validation",
        "trained on everything",
        swap("TensorDataset(X_train, y_train)", "TensorDataset(torch.from_numpy(X), torch.from_numpy(y))"),
    ),
    mild(
        "leaked-validation",
        "duplicated before the split",
        before(SPLIT, "X, y = X.repeat(4, axis=0), y.repeat(4)\n"),
        swap("range(20)", "range(10)"),
    ),
    gross(
        "overfitting",
        "forty samples",
        after(TENSORS, "X_train, y_train = X_train[:60], y_train[:60]\n"),
        cut("    nn.Dropout(0.2),\n"),
        swap("range(20)", "range(200)"),
        swap("gamma=0.88", "gamma=0.995"),
    ),
    gross(
        "model-too-small",
        "one hidden unit",
        swap("nn.Linear(64, 96)", "nn.Linear(64, 2)"),
        swap("nn.Linear(96, 48)", "nn.Linear(2, 48)"),
        cut("    nn.Dropout(0.2),\n"),
    ),
    gross("over-regularized", "dropout of 0.95", swap("nn.Dropout(0.2)", "nn.Dropout(0.95)")),
    mild("over-regularized", "dropout of 0.8", swap("nn.Dropout(0.2)", "nn.Dropout(0.8)")),
    mild("undertrained", "two epochs", swap("range(20)", "range(2)")),
    mild(
        "undertrained",
        "four epochs at a small rate",
        swap("range(20)", "range(4)"),
        swap("lr=4e-3", "lr=1e-3"),
        swap("gamma=0.88", "gamma=1.0"),
    ),
    mild(
        "eval-mode-missing",
        "eval call deleted with dropout of half",
        cut("    model.eval()\n"),
        swap("nn.Dropout(0.2)", "nn.Dropout(0.5)"),
    ),
    gross(
        "slow-data-loading",
        "every sample made with a pause",
        before(
            "train_loader = ",
            "class Slow(TensorDataset):\n    def __getitem__(self, i):\n        time.sleep(2e-4)\n        return super().__getitem__(i)\n\n\n",
        ),
        swap("DataLoader(TensorDataset(X_train", "DataLoader(Slow(X_train"),
        swap("import torch\n", "import time\n\nimport torch\n"),
    ),
    mild(
        "graph-retained",
        "loss tensors summed",
        swap("total += loss.item() * len(xb)", "total = total + loss * len(xb)"),
        swap("    total = 0.0\n", "    total = 0.0 if epoch == 0 else total\n"),
        swap("nn.Linear(64, 96)", "nn.Linear(64, 512)"),
        swap("nn.Linear(96, 48)", "nn.Linear(512, 48)"),
    ),
    on(
        (
            swap(LAYERS, LAYERS.replace("    nn.ReLU(),\n", "    nn.ReLU(),\n    nn.BatchNorm1d(96),\n", 1)),
            swap("batch_size=32, shuffle=True", "batch_size=32, shuffle=True, drop_last=True"),
        ),
        mild(
            "batchnorm-tiny-batch", "batches of 2", swap("batch_size=32", "batch_size=2"), swap("range(20)", "range(3)")
        ),
    ),
]
