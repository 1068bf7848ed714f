"""Variants of `hosts/cnn_bn_digits.py`: argparse, Dataset class, batch norm and dropout, SGD with cosine decay."""

from __future__ import annotations

from ..edits import Edit, after, background, before, cut, gross, healthy, mild, swap

HOST = "cnn_bn_digits"

SGD = "    optimizer = torch.optim.SGD(model.parameters(), lr=args.lr, momentum=0.9)\n"
ADAM = "    optimizer = torch.optim.Adam(model.parameters(), lr=args.lr / 10)\n"
# Adam divides out the scale of the gradient, so clipping faults need SGD.
NESTEROV = SGD.replace("momentum=0.9", "momentum=0.9, nesterov=True")
ZERO = "        optimizer.zero_grad()\n"
LOSS = "        loss = F.cross_entropy(logits, labels)\n"
BACKWARD = "        loss.backward()\n"
STEP = "        optimizer.step()\n"
TRAIN_MODE = "    model.train()\n"
EVAL_MODE = "    model.eval()\n"
SCHEDULED = "        scheduler.step()\n"
MODEL = "    model = Net()\n"
SPLIT = "    train_set, val_set = random_split(data, [1300, len(data) - 1300])\n"
LABELS = "        self.labels = torch.tensor(digits.target)\n"
NORMALISE = "        image = self.images[index] / 16.0\n        image = (image - 0.305) / 0.376\n"
BLOCK1 = "F.relu(self.bn1(self.conv1(x)))"
BLOCK2 = "F.relu(self.bn2(self.conv2(x)))"
TRAIN_LOADER = "    train_loader = DataLoader(train_set, batch_size=args.batch_size, shuffle=True)\n"


def batch(new: int, epochs: int = 9) -> tuple[Edit, Edit]:
    return (
        swap('"--batch-size", type=int, default=32', f'"--batch-size", type=int, default={new}'),
        swap('"--epochs", type=int, default=9', f'"--epochs", type=int, default={epochs}'),
    )


def rate(new: str) -> Edit:
    return swap('"--lr", type=float, default=0.05', f'"--lr", type=float, default={new}')


def epochs(new: int) -> Edit:
    return swap('"--epochs", type=int, default=9', f'"--epochs", type=int, default={new}')


def every_weight(body: str) -> str:
    return f"    for m in model.modules():\n        if isinstance(m, (nn.Conv2d, nn.Linear)):\n            {body}\n"


VARIANTS = [
    background("Adam", swap(SGD, ADAM)),
    background("wider", swap("width=12", "width=20")),
    background("SiLU", swap(BLOCK2, "F.silu(self.bn2(self.conv2(x)))")),
    background("L2 of 5e-4", swap("momentum=0.9)", "momentum=0.9, weight_decay=5e-4)")),
    background("average pooling", swap("x = F.max_pool2d(F.relu(self.bn2", "x = F.avg_pool2d(F.relu(self.bn2")),
    healthy(
        "warmup then cosine",
        swap(
            "CosineAnnealingLR(optimizer, T_max=args.epochs)",
            "SequentialLR(optimizer, [torch.optim.lr_scheduler.LinearLR(optimizer, 0.2, total_iters=2), "
            "torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, args.epochs - 2)], milestones=[2])",
        ),
    ),
    healthy(
        "augmented by small noise",
        swap(
            "        logits = model(images)\n        loss = F",
            "        images = images + 0.1 * torch.randn_like(images)\n        logits = model(images)\n        loss = F",
        ),
    ),
    healthy(
        "moving average of the weights evaluated",
        after(
            MODEL,
            "    average = torch.optim.swa_utils.AveragedModel(model, multi_avg_fn=torch.optim.swa_utils.get_ema_multi_avg_fn(0.9), use_buffers=True)\n",
        ),
        swap(
            "        train_loss = train(model, train_loader, optimizer)\n        val_loss, val_acc = evaluate(model, val_loader)\n",
            "        train_loss = train(model, train_loader, optimizer)\n        average.update_parameters(model)\n        val_loss, val_acc = evaluate(model, val_loader)\n        evaluate(average, val_loader)\n",
        ),
    ),
    healthy("strong dropout gap", swap("nn.Dropout(0.25)", "nn.Dropout(0.5)"), epochs(12)),
    healthy("noisy small batches at a small rate", *batch(8, 6), rate("0.01")),
    healthy("rare clipping", before(STEP, "        nn.utils.clip_grad_norm_(model.parameters(), 3.0)\n")),
    gross("lr-too-high", "rate of 20", rate("20.0")),
    gross(
        "lr-too-high", "Adam with the rate of SGD times ten", swap(SGD, ADAM.replace("args.lr / 10", "args.lr * 10"))
    ),
    mild("lr-too-high", "rate of 2", rate("2.0")),
    gross("lr-too-low", "rate of 1e-5", rate("1e-5")),
    mild("lr-too-low", "rate of 5e-4", rate("5e-4")),
    gross(
        "lr-decays-too-soon",
        "scheduler stepped every batch",
        cut(SCHEDULED),
        swap(
            "torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=args.epochs)",
            "torch.optim.lr_scheduler.StepLR(optimizer, 5, 0.5)",
        ),
        after(STEP, SCHEDULED),
        swap("def train(model, loader, optimizer):", "def train(model, loader, optimizer, scheduler):"),
        swap("train(model, train_loader, optimizer)", "train(model, train_loader, optimizer, scheduler)"),
    ),
    gross("missing-zero-grad", "line deleted", cut(ZERO)),
    mild(
        "missing-zero-grad",
        "called on another optimizer",
        swap(ZERO, "        other.zero_grad()\n"),
        after("    model.train()\n", "    other = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=0.1)\n"),
    ),
    gross("params-not-in-optimizer", "never stepped", cut(STEP)),
    mild(
        "params-not-in-optimizer",
        "optimizer over the last layer",
        swap("SGD(model.parameters()", "SGD(model.fc.parameters()"),
    ),
    gross(
        "params-not-in-optimizer",
        "another model is trained",
        swap(SGD, SGD.replace("model.parameters()", "Net().parameters()")),
    ),
    mild(
        "frozen-layers",
        "convolutions frozen from scratch",
        after(
            MODEL,
            "    for p in list(model.conv1.parameters()) + list(model.conv2.parameters()):\n        p.requires_grad_(False)\n",
        ),
    ),
    mild(
        "detached-graph", "features detached", swap("self.dropout(x.flatten(1))", "self.dropout(x.detach().flatten(1))")
    ),
    gross(
        "detached-graph",
        "prediction taken through argmax",
        swap(
            LOSS,
            "        chosen = F.one_hot(logits.argmax(1), 10).float().requires_grad_()\n        loss = F.cross_entropy(chosen, labels)\n",
        ),
    ),
    gross(
        "loss-sign-flipped",
        "log likelihood as loss",
        swap(LOSS, "        loss = F.log_softmax(logits, dim=1)[torch.arange(len(labels)), labels].mean()\n"),
    ),
    gross(
        "unscaled-accumulation",
        "eight batches summed",
        swap(ZERO, "        step += 1\n"),
        swap("    running_loss = 0.0\n", "    running_loss, step = 0.0, 0\n"),
        swap(STEP, "        if step % 8 == 0:\n            optimizer.step()\n            optimizer.zero_grad()\n"),
        *batch(8),
        rate("0.3"),
    ),
    gross(
        "clip-too-tight",
        "threshold of 1e-3",
        swap(SGD, NESTEROV),
        before(STEP, "        nn.utils.clip_grad_norm_(model.parameters(), max_norm=0.001)\n"),
    ),
    mild(
        "clip-too-tight",
        "threshold of 0.01",
        swap(SGD, NESTEROV),
        before(STEP, "        nn.utils.clip_grad_norm_(model.parameters(), max_norm=0.01)\n"),
    ),
    gross("weight-decay-too-strong", "decay of 0.5", swap("momentum=0.9)", "momentum=0.9, weight_decay=0.5)")),
    mild("weight-decay-too-strong", "decay of 0.1", swap("momentum=0.9)", "momentum=0.9, weight_decay=0.1)")),
    gross("optimizer-misconfigured", "momentum of 0.999", swap("momentum=0.9)", "momentum=0.999)")),
    mild("optimizer-misconfigured", "momentum of 0.99 undamped", swap("momentum=0.9)", "momentum=0.995)")),
    gross(
        "optimizer-misconfigured",
        "betas swapped",
        swap(SGD, ADAM.replace("args.lr / 10", "args.lr / 5, betas=(0.999, 0.1)")),
    ),
    mild(
        "batch-too-small",
        "batches of 2 without norm",
        *batch(2, 1),
        swap(BLOCK1, "F.relu(self.conv1(x))"),
        swap(BLOCK2, "F.relu(self.conv2(x))"),
    ),
    gross("batch-too-large", "batches of 1300", *batch(1300), rate("0.02")),
    mild("no-momentum", "momentum left out", swap(", momentum=0.9)", ")"), rate("0.005")),
    mild("adam-coupled-decay", "Adam with decay of 0.1", swap(SGD, ADAM.replace("/ 10)", "/ 10, weight_decay=0.1)"))),
    gross("dead-relus", "bias of norm at -5", after(MODEL, "    nn.init.constant_(model.bn2.bias, -5.0)\n")),
    gross(
        "init-too-large",
        "normal of std 3 without norm",
        after(MODEL, every_weight("nn.init.normal_(m.weight, std=3.0)")),
        swap(BLOCK1, "F.relu(self.conv1(x))"),
        swap(BLOCK2, "F.relu(self.conv2(x))"),
    ),
    gross(
        "init-too-small",
        "normal of std 1e-5 without norm",
        after(MODEL, every_weight("nn.init.normal_(m.weight, std=1e-5); nn.init.zeros_(m.bias)")),
        swap(BLOCK1, "F.relu(self.conv1(x))"),
        swap(BLOCK2, "F.relu(self.conv2(x))"),
    ),
    gross("symmetric-init", "zero weights", after(MODEL, every_weight("nn.init.zeros_(m.weight)"))),
    mild(
        "symmetric-init",
        "constant weights",
        after(MODEL, every_weight("nn.init.constant_(m.weight, 0.1)")),
        swap("nn.Dropout(0.25)", "nn.Dropout(0.0)"),
    ),
    mild("double-softmax", "softmax in forward", swap("return self.fc(x)", "return F.softmax(self.fc(x), dim=1)")),
    mild("double-softmax", "sigmoid in forward", swap("return self.fc(x)", "return torch.sigmoid(self.fc(x))")),
    gross(
        "softmax-wrong-axis",
        "softmax over the batch",
        swap("return self.fc(x)", "return F.log_softmax(self.fc(x), dim=0)"),
        swap("loss = F.cross_entropy(logits, labels)\n", "loss = F.nll_loss(logits, labels)\n"),
    ),
    gross("wrong-loss", "NLL on raw scores", swap(LOSS, "        loss = F.nll_loss(logits, labels)\n")),
    gross(
        "wrong-loss",
        "squared error on class ids",
        swap(LOSS, "        loss = F.mse_loss(logits.max(dim=1).values, labels.float())\n"),
    ),
    gross(
        "nonfinite-data",
        "images standardised one by one",
        swap(
            NORMALISE,
            "        image = self.images[index] / 16.0\n        edge = image[:, :, 0]\n        image = (image - image.mean()) / (edge.std() / edge.std())\n",
        ),
    ),
    gross(
        "unstable-math",
        "log of softmax plus entropy term",
        swap(
            LOSS,
            LOSS
            + "        p = F.softmax(logits * 30, dim=1)\n        loss = loss + 0.01 * (p * torch.log(p)).sum(1).mean()\n",
        ),
    ),
    gross(
        "low-precision",
        "half precision without scaling",
        swap(MODEL, "    model = Net().half()\n"),
        swap(NORMALISE, NORMALISE + "        image = image.half()\n"),
        swap(SGD, ADAM.replace("args.lr / 10", "args.lr / 10, eps=1e-8")),
    ),
    mild(
        "clip-before-unscale",
        "clipped while scaled",
        swap(SGD, NESTEROV),
        after(TRAIN_MODE, '    scaler = torch.amp.GradScaler("cpu")\n'),
        swap(
            "        logits = model(images)\n        loss = F",
            '        with torch.autocast("cpu", dtype=torch.float16):\n            logits = model(images)\n        loss = F',
        ),
        swap(
            BACKWARD + STEP,
            "        scaler.scale(loss).backward()\n        nn.utils.clip_grad_norm_(model.parameters(), 1.0)\n        scaler.step(optimizer)\n        scaler.update()\n",
        ),
    ),
    gross(
        "nonfinite-data",
        "empty image divided by its maximum",
        swap(NORMALISE, "        image = self.images[index] / self.images[index].max()\n"),
        after(LABELS, "        self.images[700] = 0.0\n"),
    ),
    mild(
        "unscaled-inputs",
        "pixels times a thousand without norm",
        swap(NORMALISE, "        image = self.images[index] * 1000.0\n"),
        swap(BLOCK1, "F.relu(self.conv1(x))"),
        swap(BLOCK2, "F.relu(self.conv2(x))"),
    ),
    mild(
        "bad-batch",
        "four corrupt images",
        after(LABELS, "        self.images[::450] *= 5000.0\n"),
        swap(BLOCK1, "F.relu(self.conv1(x))"),
        swap(BLOCK2, "F.relu(self.conv2(x))"),
    ),
    gross(
        "noisy-labels",
        "labels off by one position",
        swap(LABELS, "        self.labels = torch.tensor(digits.target).roll(1)\n"),
    ),
    mild(
        "noisy-labels",
        "forty percent random",
        after(
            LABELS,
            "        wrong = torch.rand(len(self.labels)) < 0.4\n        self.labels[wrong] = torch.randint(0, 10, (int(wrong.sum()),))\n",
        ),
    ),
    gross(
        "unshuffled-data",
        "ordered by label",
        swap("shuffle=True", "shuffle=False"),
        after(SPLIT, "    train_set.indices = sorted(train_set.indices, key=lambda i: data.labels[i].item())\n"),
    ),
    gross(
        "train-val-mismatch",
        "validation normalised twice",
        swap(
            "        logits = model(images)\n        loss_sum",
            "        images = (images - 0.305) / 0.376\n        images = images * 3 + 2\n        logits = model(images)\n        loss_sum",
        ),
    ),
    gross(
        "train-val-mismatch",
        "validation images transposed",
        swap(
            "        logits = model(images)\n        loss_sum",
            "        logits = model(images.transpose(2, 3).flip(2))\n        loss_sum",
        ),
    ),
    gross(
        "scrambled-axes",
        "reshape in place of permute",
        swap(
            ".unsqueeze(1)\n",
            ".unsqueeze(1)\n        self.images = self.images.permute(2, 3, 1, 0).reshape(-1, 1, 8, 8)\n",
        ),
    ),
    mild(
        "target-leakage",
        "label written into a corner",
        swap(
            NORMALISE,
            NORMALISE
            + "        image[0, 0, 0] = float(self.labels[index]) * 2\n        image[0, 7, 7] = float(self.labels[index] % 3) * 3\n",
        ),
    ),
    mild("leaked-validation", "training over the whole set", swap("DataLoader(train_set,", "DataLoader(data,")),
    mild(
        "leaked-validation",
        "validation drawn from the training set",
        after(SPLIT, "    val_set = torch.utils.data.Subset(train_set, range(400))\n"),
    ),
    gross(
        "overfitting",
        "fifty images",
        after(SPLIT, "    train_set = torch.utils.data.Subset(train_set, range(50))\n"),
        epochs(120),
        swap("nn.Dropout(0.25)", "nn.Dropout(0.0)"),
    ),
    gross(
        "model-too-small",
        "one channel",
        swap("width=12", "width=1"),
        swap("nn.Dropout(0.25)", "nn.Dropout(0.0)"),
        swap(
            "self.fc = nn.Linear(2 * width * 4, 10)",
            "self.fc = nn.Sequential(nn.Linear(2 * width * 4, 2), nn.Linear(2, 10))",
        ),
    ),
    gross("over-regularized", "dropout of 0.95", swap("nn.Dropout(0.25)", "nn.Dropout(0.95)")),
    gross(
        "over-regularized",
        "noise far above the signal",
        swap(
            "        logits = model(images)\n        loss = F",
            "        logits = model(images + 3 * torch.randn_like(images))\n        loss = F",
        ),
    ),
    mild("undertrained", "one epoch", epochs(1), rate("0.01")),
    gross(
        "eval-mode-missing",
        "eval call deleted, single images",
        cut(EVAL_MODE),
        swap("DataLoader(val_set, batch_size=args.batch_size)", "DataLoader(val_set, batch_size=2)"),
    ),
    mild(
        "eval-mode-missing", "strong dropout in validation", cut(EVAL_MODE), swap("nn.Dropout(0.25)", "nn.Dropout(0.6)")
    ),
    gross(
        "train-mode-missing",
        "train call deleted",
        cut(TRAIN_MODE),
        before("    for epoch in range(args.epochs):\n", "    model.eval()\n"),
        swap(NORMALISE, "        image = self.images[index] * 4.0\n"),
    ),
    gross("batchnorm-tiny-batch", "batches of 2", *batch(2, 2)),
    gross(
        "slow-data-loading",
        "a pause for every image",
        swap(NORMALISE, "        time.sleep(3e-4)\n" + NORMALISE),
        swap("import argparse\n", "import argparse\nimport time\n"),
    ),
    mild(
        "graph-retained",
        "loss tensors summed over the run",
        swap("running_loss += loss.item()", "running_loss = running_loss + loss\n        HISTORY.append(running_loss)"),
        after("SEED = 0\n", "HISTORY = []\n"),
        swap("width=12", "width=40"),
        epochs(4),
        swap("return running_loss / len(loader)", "return running_loss.item() / len(loader)"),
    ),
]
