"""Variants of `hosts/resnet_tabular.py`: Trainer class, deep pre-norm residual net, AdamW with warmup and cosine."""

from __future__ import annotations

from ..edits import after, background, before, cut, gross, healthy, mild, on, swap

HOST = "resnet_tabular"

ADAMW = "torch.optim.AdamW(model.parameters(), lr=2e-3, weight_decay=0.01)"
SGD = "torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)"
ZERO = "        self.optimizer.zero_grad(set_to_none=True)\n"
LOSS = "        loss = self.loss_fn(outputs, targets)\n"
BACKWARD = "        loss.backward()\n"
CLIP = "        torch.nn.utils.clip_grad_norm_(self.model.parameters(), max_norm=5.0)\n"
STEP = "        self.optimizer.step()\n"
SCHEDULED = "        self.scheduler.step()\n"
MODEL = "    model = ResNet(features=16, classes=4)\n"
SCALE = "    X = torch.tensor((X - X.mean(0)) / X.std(0), dtype=torch.float32)\n"
LABELS = "    y = torch.tensor(y, dtype=torch.long)\n"
EPOCHS = "epochs=6)"
SKIP = "        return x + self.down(h)\n"


def init_linear(body: str) -> str:
    return f"    for m in model.modules():\n        if isinstance(m, nn.Linear):\n            {body}\n"


VARIANTS = [
    background("SGD with momentum", swap(ADAMW, SGD)),
    background("half the depth", swap("depth=10", "depth=5")),
    background("ReLU", swap("nn.GELU()", "nn.ReLU()")),
    background("batches of 32", swap("batch_size=64", "batch_size=32"), swap(EPOCHS, "epochs=4)")),
    healthy("no clipping", cut(CLIP)),
    healthy(
        "dropout inside the blocks",
        swap("h = self.act(self.up(h))", "h = nn.functional.dropout(self.act(self.up(h)), 0.2, self.training)"),
        swap(EPOCHS, "epochs=8)"),
    ),
    healthy(
        "last layer of each block starts at zero",
        after(MODEL, "    for block in model.blocks:\n        nn.init.zeros_(block.down.weight)\n"),
    ),
    healthy(
        "unshuffled validation and also training evaluated",
        after(
            "            val_loss, val_acc = self.validate()\n",
            "            with torch.no_grad():\n                self.model(self.train_loader.dataset.tensors[0])\n",
        ),
    ),
    gross("lr-too-high", "rate of 1", swap("lr=2e-3", "lr=1.0"), cut(CLIP)),
    mild("lr-too-high", "rate of 0.1", swap("lr=2e-3", "lr=0.1")),
    gross("lr-too-low", "rate of 1e-6", swap("lr=2e-3", "lr=1e-6")),
    mild("lr-too-low", "rate of 3e-5", swap("lr=2e-3", "lr=3e-5")),
    gross(
        "lr-decays-too-soon",
        "total steps counted in epochs",
        swap("self.total_steps = epochs * len(train_loader)", "self.total_steps = 25"),
        swap(
            "return 0.5 * (1 + math.cos(math.pi * progress))",
            "return 0.5 * (1 + math.cos(math.pi * min(1.0, progress)))",
        ),
    ),
    gross("missing-zero-grad", "line deleted", cut(ZERO), swap(ADAMW, SGD)),
    mild(
        "missing-zero-grad",
        "cleared between backward and step of nothing",
        swap(ZERO, "        for p in self.model.parameters():\n            p.grad_ = None\n"),
    ),
    gross(
        "params-not-in-optimizer",
        "blocks in a Python list",
        swap("nn.Sequential(*[Block(dim) for _ in range(depth)])", "[Block(dim) for _ in range(depth)]"),
        swap(
            "return self.head(self.blocks(self.stem(x)))",
            "x = self.stem(x)\n        for block in self.blocks:\n            x = block(x)\n        return self.head(x)",
        ),
    ),
    gross(
        "params-not-in-optimizer", "only the head", swap("AdamW(model.parameters()", "AdamW(model.head.parameters()")
    ),
    mild(
        "frozen-layers",
        "everything but the head frozen",
        after(
            MODEL, "    for name, p in model.named_parameters():\n        p.requires_grad = name.startswith('head')\n"
        ),
    ),
    mild(
        "detached-graph",
        "trunk run without gradients",
        swap(
            "return self.head(self.blocks(self.stem(x)))",
            "with torch.no_grad():\n            x = self.blocks(self.stem(x))\n        return self.head(x)",
        ),
    ),
    gross("loss-sign-flipped", "negated in the step", swap(LOSS, "        loss = -self.loss_fn(outputs, targets)\n")),
    mild("clip-too-tight", "threshold of 0.01 with SGD", swap(ADAMW, SGD), swap("max_norm=5.0", "max_norm=0.01")),
    gross("weight-decay-too-strong", "decay of 100", swap("weight_decay=0.01", "weight_decay=100.0")),
    gross("optimizer-misconfigured", "eps of 1", swap("weight_decay=0.01)", "weight_decay=0.01, eps=1.0)")),
    gross("batch-too-large", "whole set", swap("batch_size=64", "batch_size=2600")),
    gross(
        "vanishing-gradients",
        "sigmoid without skip or norm",
        swap(SKIP, "        return self.down(h)\n"),
        swap("h = self.norm(x)", "h = x"),
        swap("nn.GELU()", "nn.Sigmoid()"),
    ),
    gross(
        "exploding-gradients",
        "no norm in a deep net with growing blocks",
        swap("h = self.norm(x)", "h = x"),
        swap(SKIP, "        return x + 2 * self.down(h)\n"),
        swap("nn.GELU()", "nn.ReLU()"),
        swap("depth=10", "depth=40"),
        cut(CLIP),
        swap(EPOCHS, "epochs=3)"),
        swap("nn.Sequential(nn.LayerNorm(dim), nn.Linear(dim, classes))", "nn.Linear(dim, classes)"),
    ),
    gross("init-too-large", "normal of std 1", after(MODEL, init_linear("nn.init.normal_(m.weight, std=1.0)"))),
    gross("symmetric-init", "zero weights", after(MODEL, init_linear("nn.init.zeros_(m.weight)"))),
    mild(
        "no-nonlinearity",
        "blocks without activation or norm",
        swap("h = self.act(self.up(h))", "h = self.up(h)"),
        swap("h = self.norm(x)", "h = x"),
        swap("nn.Sequential(nn.LayerNorm(dim), nn.Linear(dim, classes))", "nn.Linear(dim, classes)"),
    ),
    mild(
        "double-softmax",
        "softmax after the head",
        swap(
            "return self.head(self.blocks(self.stem(x)))",
            "return torch.softmax(self.head(self.blocks(self.stem(x))), dim=-1)",
        ),
    ),
    gross(
        "softmax-wrong-axis",
        "over the batch",
        swap(
            "return self.head(self.blocks(self.stem(x)))",
            "return torch.log_softmax(self.head(self.blocks(self.stem(x))), dim=0)",
        ),
        swap("nn.CrossEntropyLoss()", "nn.NLLLoss()"),
    ),
    gross(
        "wrong-loss",
        "squared error on class ids",
        swap("nn.CrossEntropyLoss()", "lambda o, t: nn.functional.mse_loss(o.mean(dim=1), t.float())"),
    ),
    gross("nonfinite-data", "log of a negative feature", after(SCALE, "    X[:, 3] = torch.log(X[:, 3])\n")),
    mild("unscaled-inputs", "two features in millions", after(SCALE, "    X[:, :2] = X[:, :2] * 1e6\n")),
    gross("noisy-labels", "labels permuted", after(LABELS, "    y[:2600] = y[:2600][torch.randperm(2600)]\n")),
    gross(
        "unshuffled-data",
        "sorted by class",
        after(LABELS, "    order = y[:2600].argsort()\n    X[:2600], y[:2600] = X[:2600][order], y[:2600][order]\n"),
        swap("shuffle=True, drop_last", "shuffle=False, drop_last"),
    ),
    gross(
        "train-val-mismatch",
        "validation scaled by its own other constants",
        after(LABELS, "    X[2600:] = X[2600:] * 4 + 3\n"),
    ),
    mild(
        "target-leakage",
        "label among the features",
        after(LABELS, "    X[:, 5] = y.float()\n    X[:, 6] = (y == 1).float() * 3\n"),
    ),
    mild(
        "leaked-validation",
        "trained on everything",
        swap("TensorDataset(X[:2600], y[:2600])", "TensorDataset(X, y)"),
        swap(EPOCHS, "epochs=12)"),
    ),
    gross(
        "overfitting",
        "eighty samples",
        swap("TensorDataset(X[:2600], y[:2600])", "TensorDataset(X[:128], y[:128])"),
        swap(EPOCHS, "epochs=90)"),
    ),
    gross(
        "over-regularized",
        "dropout of 0.9 everywhere",
        swap("h = self.act(self.up(h))", "h = nn.functional.dropout(self.act(self.up(h)), 0.98, self.training)"),
        swap(SKIP, "        return nn.functional.dropout(x, 0.5, self.training) + self.down(h)\n"),
    ),
    mild(
        "undertrained",
        "one epoch",
        swap(EPOCHS, "epochs=1)"),
        swap("return 0.5 * (1 + math.cos(math.pi * progress))", "return 1.0"),
    ),
    gross(
        "slow-data-loading",
        "a slow collate function",
        swap("shuffle=True, drop_last=True)", "shuffle=True, drop_last=True, collate_fn=collate)"),
        before(
            'if __name__ == "__main__":\n',
            "def collate(samples):\n    rows = [torch.tensor([float(v) for v in x]) for x, _ in samples for _ in range(8)][::8]\n    return torch.stack(rows), torch.stack([y for _, y in samples])\n\n\n",
        ),
    ),
    mild(
        "graph-retained",
        "outputs collected",
        swap(LOSS, LOSS + "        self.outputs.append(outputs)\n"),
        after("        self.epochs = epochs\n", "        self.outputs = []\n"),
    ),
    on(
        (swap(ADAMW, SGD),),
        gross(
            "unscaled-accumulation",
            "sixteen micro-batches summed",
            swap(ZERO, ""),
            cut(CLIP),
            swap(
                STEP,
                "        self.micro = getattr(self, 'micro', 0) + 1\n        if self.micro % 16 == 0:\n            self.optimizer.step()\n            self.optimizer.zero_grad()\n",
            ),
            swap("batch_size=64", "batch_size=8"),
            swap("lr=0.05", "lr=0.1"),
            swap(EPOCHS, "epochs=3)"),
        ),
    ),
    gross(
        "batchnorm-tiny-batch",
        "batches of 2",
        swap("self.norm = nn.LayerNorm(dim)", "self.norm = nn.BatchNorm1d(dim)"),
        swap("batch_size=64", "batch_size=2"),
        swap(EPOCHS, "epochs=1)"),
        swap("depth=10", "depth=4"),
    ),
]
