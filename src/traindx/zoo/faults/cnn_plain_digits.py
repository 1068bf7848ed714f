"""Variants of `hosts/cnn_plain_digits.py`: batches by randperm, ModuleList, RMSprop with linear decay every batch."""

from __future__ import annotations

from ..edits import after, background, before, cut, gross, healthy, mild, swap

HOST = "cnn_plain_digits"

RMS = "opt = optim.RMSprop(net.parameters(), lr=LEARNING_RATE)\n"
SGD = "opt = optim.SGD(net.parameters(), lr=10 * LEARNING_RATE, momentum=0.9)\n"
ZERO = "        opt.zero_grad()\n"
LOSS = "        loss = F.cross_entropy(prediction, y)\n"
FORWARD = "        prediction = net(x)\n        loss"
BACKWARD = "        loss.backward()\n"
STEP = "        opt.step()\n"
SCHEDULED = "        schedule.step()\n"
NET = "net = ConvNet()\n"
DATA = "(x_train, y_train), (x_val, y_val) = load()\n"
KAIMING = '                nn.init.kaiming_normal_(m.weight, nonlinearity="relu")\n'
SCALED = ".div(16).sub(0.3)"
LINEAR = "schedule = optim.lr_scheduler.LinearLR(opt, start_factor=1.0, end_factor=0.02, total_iters=total_steps)\n"
RELU = "            x = torch.relu(conv(x))\n"


VARIANTS = [
    background("SGD with momentum", swap(RMS, SGD)),
    background("NAdam", swap(RMS, RMS.replace("RMSprop", "NAdam"))),
    background("leaky units", swap(RELU, "            x = F.leaky_relu(conv(x), 0.1)\n")),
    background("batches of 20", swap("BATCH = 40", "BATCH = 20"), swap("EPOCHS = 9", "EPOCHS = 6")),
    background("cosine to zero", swap(LINEAR, "schedule = optim.lr_scheduler.CosineAnnealingLR(opt, total_steps)\n")),
    healthy("sparse units", swap("nn.init.zeros_(m.bias)", "nn.init.constant_(m.bias, -0.3)")),
    healthy(
        "tanh",
        swap(RELU, "            x = torch.tanh(conv(x))\n"),
        swap(KAIMING, "                nn.init.xavier_normal_(m.weight)\n"),
    ),
    healthy(
        "log softmax and NLL",
        swap("return self.classifier(x)", "return F.log_softmax(self.classifier(x), dim=1)"),
        swap("loss = F.cross_entropy(prediction, y)\n", "loss = F.nll_loss(prediction, y)\n"),
        swap("F.cross_entropy(prediction, y_val)", "F.nll_loss(prediction, y_val)"),
    ),
    healthy(
        "validation also over the training set",
        after(
            "        val_acc = accuracy(prediction, y_val)\n",
            '        print("training set", accuracy(net(x_train), y_train))\n',
        ),
    ),
    healthy("generous clipping", before(STEP, "        nn.utils.clip_grad_norm_(net.parameters(), 10.0)\n")),
    healthy(
        "accumulation divided correctly",
        swap(BACKWARD, "        (loss / 2).backward()\n"),
        swap(ZERO, ""),
        swap(STEP, "        if (start // BATCH) % 2 == 1:\n            opt.step()\n            opt.zero_grad()\n"),
        swap("BATCH = 40", "BATCH = 20"),
    ),
    gross("lr-too-high", "rate of 0.5", swap("LEARNING_RATE = 3e-3", "LEARNING_RATE = 0.5")),
    mild("lr-too-high", "rate of 0.05", swap("LEARNING_RATE = 3e-3", "LEARNING_RATE = 0.05")),
    gross("lr-too-high", "SGD with a rate of 2", swap(RMS, SGD.replace("10 *", "700 *"))),
    gross("lr-too-low", "rate of 1e-7", swap("LEARNING_RATE = 3e-3", "LEARNING_RATE = 1e-7")),
    mild("lr-too-low", "rate of 3e-5", swap("LEARNING_RATE = 3e-3", "LEARNING_RATE = 3e-5")),
    mild(
        "lr-never-decays",
        "no schedule at a high rate",
        cut(SCHEDULED),
        swap("LEARNING_RATE = 3e-3", "LEARNING_RATE = 2e-2"),
    ),
    gross(
        "lr-decays-too-soon",
        "decayed over steps of one batch",
        swap(LINEAR, "schedule = optim.lr_scheduler.ExponentialLR(opt, 0.8)\n"),
    ),
    mild(
        "lr-decays-too-soon",
        "halved every ten batches",
        swap(LINEAR, "schedule = optim.lr_scheduler.StepLR(opt, 8, 0.5)\n"),
    ),
    gross("missing-zero-grad", "line deleted", cut(ZERO)),
    gross(
        "missing-zero-grad",
        "cleared on a copy",
        swap(ZERO, "        copy.deepcopy(net).zero_grad()\n"),
        swap("import torch\n", "import copy\n\nimport torch\n"),
    ),
    mild(
        "params-not-in-optimizer",
        "layers in a plain list",
        swap("nn.ModuleList(\n            [", "list(\n            ["),
        swap("for m in self.modules():", "for m in self.features:"),
    ),
    gross("params-not-in-optimizer", "step never called", cut(STEP)),
    mild(
        "params-not-in-optimizer",
        "only the classifier",
        swap("net.parameters(), lr", "net.classifier.parameters(), lr"),
    ),
    mild("frozen-layers", "features frozen from scratch", after(NET, "net.features.requires_grad_(False)\n")),
    mild(
        "detached-graph",
        "data taken between the parts",
        swap("x = x.view(x.size(0), -1)", "x = x.data.view(x.size(0), -1)"),
    ),
    mild(
        "detached-graph",
        "through numpy",
        swap("x = x.view(x.size(0), -1)", "x = torch.from_numpy(x.detach().numpy()).view(x.size(0), -1)"),
    ),
    gross(
        "loss-sign-flipped",
        "negated loss",
        swap("loss = F.cross_entropy(prediction, y)\n", "loss = -F.cross_entropy(prediction, y)\n"),
    ),
    gross(
        "unscaled-accumulation",
        "eight batches summed",
        swap(RMS, SGD.replace("10 *", "50 *")),
        cut(ZERO),
        swap(STEP, "        if (start // BATCH) % 8 == 7:\n            opt.step()\n            opt.zero_grad()\n"),
        swap("BATCH = 40", "BATCH = 10"),
    ),
    gross(
        "clip-too-tight",
        "norm of 1e-3",
        swap(RMS, SGD),
        before(STEP, "        nn.utils.clip_grad_norm_(net.parameters(), 1e-3)\n"),
    ),
    gross(
        "weight-decay-too-strong",
        "decay of 0.3",
        swap(RMS, SGD.replace("momentum=0.9", "momentum=0.9, weight_decay=0.3")),
    ),
    mild(
        "weight-decay-too-strong",
        "decay of 0.06",
        swap(RMS, SGD.replace("momentum=0.9", "momentum=0.9, weight_decay=0.06")),
    ),
    gross(
        "optimizer-misconfigured",
        "alpha of zero and momentum of 0.99",
        swap("lr=LEARNING_RATE)", "lr=LEARNING_RATE, alpha=0.0, momentum=0.99)"),
    ),
    mild("optimizer-misconfigured", "eps of one", swap("lr=LEARNING_RATE)", "lr=LEARNING_RATE, eps=1.0)")),
    mild(
        "batch-too-small",
        "single images",
        swap("BATCH = 40", "BATCH = 1"),
        swap("EPOCHS = 9", "EPOCHS = 1"),
        swap(RMS, SGD),
    ),
    gross("batch-too-large", "the whole set", swap("BATCH = 40", "BATCH = 1347")),
    mild("no-momentum", "plain SGD", swap(RMS, "opt = optim.SGD(net.parameters(), lr=0.01)\n")),
    gross(
        "vanishing-gradients",
        "sigmoid between convolutions of a deep stack",
        swap(RELU, "            x = torch.sigmoid(conv(x))\n"),
        swap(KAIMING, ""),
        swap("nn.init.zeros_(m.bias)", "pass"),
        swap(
            "                nn.Conv2d(16, 24,",
            "                *[nn.Conv2d(16, 16, kernel_size=3, padding=1) for _ in range(6)],\n                nn.Conv2d(16, 24,",
        ),
        swap(RMS, SGD),
    ),
    gross("dead-relus", "biases of -6", swap("nn.init.zeros_(m.bias)", "nn.init.constant_(m.bias, -6.0)")),
    mild(
        "dead-relus",
        "biases of -1.5",
        swap("nn.init.zeros_(m.bias)", "nn.init.constant_(m.bias, -1.5)"),
        swap(RMS, SGD),
    ),
    gross(
        "init-too-small",
        "normal of std 1e-4",
        swap(KAIMING, "                nn.init.normal_(m.weight, std=1e-4)\n"),
        swap(RMS, SGD),
    ),
    mild(
        "init-too-small",
        "normal of std 0.01",
        swap(KAIMING, "                nn.init.normal_(m.weight, std=0.01)\n"),
        swap(RMS, SGD),
    ),
    gross("init-too-large", "normal of std 1", swap(KAIMING, "                nn.init.normal_(m.weight, std=1.0)\n")),
    gross(
        "symmetric-init",
        "constant weights",
        swap(KAIMING, "                nn.init.constant_(m.weight, 0.05)\n"),
        after(NET, "nn.init.constant_(net.classifier.weight, 0.05)\n"),
    ),
    mild(
        "no-nonlinearity",
        "activation left out",
        swap(RELU, "            x = conv(x)\n"),
        swap("nn.Linear(32 * 2 * 2, 10)", "nn.Linear(32 * 2 * 2, 10)"),
    ),
    mild(
        "double-softmax",
        "softmax in forward",
        swap("return self.classifier(x)", "return torch.softmax(self.classifier(x), -1)"),
    ),
    mild(
        "double-softmax",
        "softmax at the loss",
        swap("F.cross_entropy(prediction, y)\n", "F.cross_entropy(F.softmax(prediction, dim=1), y)\n"),
    ),
    gross(
        "softmax-wrong-axis",
        "over the batch",
        swap("F.cross_entropy(prediction, y)\n", "F.nll_loss(F.log_softmax(prediction, dim=0), y)\n"),
    ),
    gross("wrong-loss", "NLL on raw scores", swap("F.cross_entropy(prediction, y)\n", "F.nll_loss(prediction, y)\n")),
    gross(
        "output-range-mismatch",
        "sigmoid where log probabilities are wanted",
        swap("return self.classifier(x)", "return -torch.sigmoid(self.classifier(x))"),
        swap("F.cross_entropy(prediction, y)\n", "((prediction - 5 * F.one_hot(y, 10)) ** 2).mean()\n"),
    ),
    gross(
        "unstable-math",
        "images divided by their own deviation in the model",
        swap(
            "        for conv in self.features:\n",
            "        x = x / x[:, :, :, 0].std(dim=2, keepdim=True).unsqueeze(-1)\n        for conv in self.features:\n",
        ),
    ),
    gross(
        "unstable-math",
        "log of exp",
        swap(
            "F.cross_entropy(prediction, y)\n",
            "(torch.log(torch.exp(prediction * 60).sum(1)) - 60 * prediction.gather(1, y[:, None])[:, 0]).mean()\n",
        ),
    ),
    gross(
        "low-precision",
        "half precision without scaling",
        swap(NET, "net = ConvNet().half()\nx_train, x_val = x_train.half(), x_val.half()\n"),
    ),
    gross(
        "nonfinite-data",
        "standardised by pixel",
        after(DATA, "x_train = (x_train - x_train.mean(0)) / x_train.std(0)\n"),
    ),
    gross("nonfinite-data", "one infinite pixel", after(DATA, 'x_train[17, 0, 3, 3] = float("inf")\n')),
    gross("unscaled-inputs", "pixels up to 8000", swap(SCALED, ".mul(500)"), swap(RMS, SGD)),
    mild("unscaled-inputs", "an offset of 100", swap(SCALED, ".add(100)")),
    mild("bad-batch", "three saturated images", after(DATA, "x_train[:3] = 3e4\n"), swap(RMS, SGD)),
    gross("noisy-labels", "labels permuted", after(DATA, "y_train = y_train[torch.randperm(len(y_train))]\n")),
    gross(
        "noisy-labels",
        "inputs shuffled without their labels",
        swap("x, y = x_train[index], y_train[index]", "x, y = x_train[index], y_train[start : start + BATCH]"),
    ),
    gross(
        "unshuffled-data",
        "sorted by class",
        after(DATA, "x_train, y_train = x_train[y_train.argsort()], y_train.sort().values\n"),
        swap("permutation = torch.randperm(len(x_train))", "permutation = torch.arange(len(x_train))"),
    ),
    gross("train-val-mismatch", "validation not centred", after(DATA, "x_val = (x_val + 0.3) * 16\n")),
    gross(
        "scrambled-axes",
        "view across samples",
        after(DATA, "x_train = x_train.permute(1, 2, 3, 0).contiguous().view(-1, 1, 8, 8)\n"),
    ),
    mild(
        "target-leakage",
        "label in a pixel",
        after(
            "    labels = torch.from_numpy(raw.target).long()\n",
            "    images[:, 0, 0, :] = labels[:, None].float() / 3\n    images[:, 0, 7, :] = (labels[:, None] % 2).float() * 2\n    images[:, 0, 4, :] = (labels[:, None] % 3).float() * 2\n",
        ),
    ),
    mild("leaked-validation", "overlapping split", swap("order[:cut], order[cut:]", "order, order[cut:]")),
    gross(
        "overfitting",
        "forty images for many epochs",
        after(DATA, "x_train, y_train = x_train[:40], y_train[:40]\n"),
        swap("EPOCHS = 9", "EPOCHS = 250"),
        swap(RMS, SGD),
    ),
    gross(
        "model-too-small",
        "one channel",
        swap("nn.Conv2d(16, 24,", "nn.Conv2d(1, 1,"),
        swap("nn.Conv2d(1, 16,", "nn.Conv2d(1, 1,"),
        swap("nn.Conv2d(24, 32,", "nn.Conv2d(1, 1,"),
        swap("nn.Linear(32 * 2 * 2, 10)", "nn.Linear(4, 10)"),
    ),
    gross(
        "over-regularized",
        "dropout of 0.95 between layers",
        swap(RELU, "            x = F.dropout(torch.relu(conv(x)), 0.9, self.training)\n"),
    ),
    mild(
        "undertrained",
        "one epoch with a small rate",
        swap("EPOCHS = 9", "EPOCHS = 1"),
        swap("LEARNING_RATE = 3e-3", "LEARNING_RATE = 5e-4"),
        swap("end_factor=0.02", "end_factor=1.0"),
    ),
    gross(
        "slow-data-loading",
        "images written to disk and read back",
        after(
            "        x, y = x_train[index], y_train[index]\n",
            '        for i in range(BATCH):\n            torch.save(x[i].clone(), "image.pt")\n            x[i] = torch.load("image.pt")\n',
        ),
    ),
    mild(
        "graph-retained",
        "losses kept with their graphs",
        swap("losses.append(loss.item())", "losses.append(loss)\n        kept.append(loss)"),
        before("for epoch in range(EPOCHS):\n", "kept = []\n"),
        swap("sum(losses) / len(losses)", "float(sum(losses)) / len(losses)"),
    ),
]
