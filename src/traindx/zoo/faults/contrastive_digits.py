"""Variants of `hosts/contrastive_digits.py`: two views of a batch, temperature, loss that cannot reach zero."""

from __future__ import annotations

from ..edits import after, background, before, cut, gross, healthy, mild, swap

HOST = "contrastive_digits"

ADAMW = "torch.optim.AdamW(model.parameters(), lr=5e-3, weight_decay=1e-3)"
ZERO = "        optimizer.zero_grad()\n"
STEP = "        optimizer.step()\n"
LOSS = "        loss = (info_nce(z1, z2) + info_nce(z2, z1)) / 2\n"
MODEL = "model = Encoder()\n"
NORMAL_A = "    a = F.normalize(a, dim=1)\n"

VARIANTS = [
    background("SGD with momentum", swap(ADAMW, "torch.optim.SGD(model.parameters(), lr=0.3, momentum=0.9)")),
    background(
        "wider projector",
        swap("nn.Linear(96, 64), nn.ReLU(), nn.Linear(64, 16)", "nn.Linear(96, 128), nn.ReLU(), nn.Linear(128, 16)"),
    ),
    background("temperature of 0.3", swap("TEMPERATURE = 0.2", "TEMPERATURE = 0.3")),
    healthy("one direction only", swap(LOSS, "        loss = info_nce(z1, z2)\n")),
    healthy("layer norm", swap("nn.BatchNorm1d(96)", "nn.LayerNorm(96)")),
    healthy("no decay of the rate", cut("        scheduler.step()\n"), swap("lr=5e-3", "lr=3e-3")),
    healthy("clipping at two", before(STEP, "        nn.utils.clip_grad_norm_(model.parameters(), 2.0)\n")),
    gross("lr-too-high", "rate of 3", swap("lr=5e-3", "lr=3.0")),
    gross("lr-too-low", "rate of 1e-6", swap("lr=5e-3", "lr=1e-6")),
    mild("lr-too-low", "rate of 5e-5", swap("lr=5e-3", "lr=5e-5")),
    gross(
        "lr-decays-too-soon",
        "cosine over one epoch, then nothing",
        swap("CosineAnnealingLR(optimizer, T_max=epochs * steps_per_epoch)", "ExponentialLR(optimizer, 0.8)"),
    ),
    mild(
        "missing-zero-grad",
        "line deleted",
        cut(ZERO),
        swap(ADAMW, "torch.optim.SGD(model.parameters(), lr=0.3, momentum=0.9)"),
    ),
    gross("params-not-in-optimizer", "second encoder trained", before("epochs = 16\n", "model = Encoder()\n")),
    mild(
        "params-not-in-optimizer",
        "projector only",
        swap("AdamW(model.parameters()", "AdamW(model.projector[2:].parameters()"),
    ),
    mild(
        "frozen-layers",
        "backbone and first projection frozen",
        after(
            MODEL,
            "for p in [*model.backbone.parameters(), *model.projector[0].parameters()]:\n    p.requires_grad = False\n",
        ),
    ),
    gross(
        "detached-graph",
        "similarity taken without gradients",
        swap(LOSS, "        loss = info_nce(z1.detach(), z2.detach()).requires_grad_()\n"),
    ),
    gross("loss-sign-flipped", "negated", swap(LOSS, "        loss = -(info_nce(z1, z2) + info_nce(z2, z1)) / 2\n")),
    gross(
        "clip-too-tight",
        "norm of 1e-3 with SGD",
        swap(ADAMW, "torch.optim.SGD(model.parameters(), lr=0.3, momentum=0.9)"),
        before(STEP, "        nn.utils.clip_grad_norm_(model.parameters(), 1e-3)\n"),
    ),
    gross("weight-decay-too-strong", "decay of 20 without norm", swap("weight_decay=1e-3", "weight_decay=50.0")),
    gross(
        "double-softmax",
        "softmax of the similarities",
        swap("    positives = torch", "    similarity = similarity.softmax(dim=1)\n    positives = torch"),
    ),
    gross(
        "softmax-wrong-axis",
        "normalised over the batch",
        swap(
            NORMAL_A + "    b = F.normalize(b, dim=1)\n",
            "    a = F.normalize(a, dim=0)\n    b = F.normalize(b, dim=0)\n",
        ),
    ),
    gross(
        "unstable-math",
        "exponentials at a tiny temperature",
        swap(
            "    return F.cross_entropy(similarity, positives)\n",
            "    powers = torch.exp(similarity * 30)\n    return -torch.log(powers.diag() / powers.sum(1)).mean()\n",
        ),
    ),
    gross(
        "unstable-math",
        "distance of a point to itself",
        swap("        running_loss +=", "        pass\n        running_loss +="),
        swap(LOSS, LOSS + "        loss = loss + 1e-3 * torch.sqrt(((z1[:, None] - z1[None]) ** 2).sum(-1)).mean()\n"),
    ),
    gross(
        "unscaled-inputs",
        "pixels in thousands without norm",
        swap("nn.Linear(64, 96), nn.BatchNorm1d(96), nn.ReLU()", "nn.Linear(64, 96), nn.ReLU()"),
        swap(
            "return batch * keep + 0.1 * torch.randn_like(batch)",
            "return 3000 * (batch * keep + 0.1 * torch.randn_like(batch))",
        ),
    ),
    gross(
        "nonfinite-data",
        "pixels standardised",
        swap(
            "train_images, val_images =",
            "images = (images - images.mean(0)) / images.std(0)\ntrain_images, val_images =",
        ),
    ),
    gross(
        "noisy-labels",
        "pairs of different images",
        swap("z2 = model(augment(batch))", "z2 = model(augment(batch.roll(1, 0)))"),
    ),
    mild(
        "target-leakage",
        "both views share a watermark",
        swap(
            "def augment(batch):\n",
            "def augment(batch):\n    batch = batch.clone()\n    batch[:, 0] = torch.eye(len(batch), 8).sum(0) + 3 * torch.sin(torch.arange(len(batch))[:, None] * torch.arange(1, 9))\n",
        ),
        swap("batch * keep", "batch * keep.clamp(min=0.9)"),
    ),
    gross(
        "over-regularized",
        "noise that hides the image",
        swap("0.1 * torch.randn_like(batch)", "2.0 * torch.randn_like(batch)"),
    ),
    mild(
        "undertrained",
        "one epoch",
        swap("for epoch in range(epochs)", "for epoch in range(2)"),
        swap("lr=5e-3", "lr=5e-4"),
    ),
    mild(
        "eval-mode-missing",
        "batch statistics of small batches in validation",
        cut("    model.eval()\n"),
        swap("nn.BatchNorm1d(96), nn.ReLU()", "nn.BatchNorm1d(96), nn.ReLU(), nn.Dropout(0.7)"),
    ),
    gross(
        "batch-too-large",
        "all images at once",
        swap("// 64", "// 1400"),
        swap("shuffled.split(64)", "shuffled.split(1400)"),
    ),
    mild(
        "graph-retained",
        "losses kept",
        swap(
            "running_loss += loss.item() / steps_per_epoch",
            "running_loss = running_loss + loss / steps_per_epoch\n        kept.append(loss)",
        ),
        before("epochs = 16\n", "kept = []\n"),
        swap("train_loss={running_loss:.5f}", "train_loss={running_loss.item():.5f}"),
    ),
    gross(
        "train-mode-missing",
        "a first look at the validation set leaves the model in eval mode",
        cut("    model.train()\n"),
        before("epochs = 16\n", "evaluate(model)\n"),
        swap(
            "images = torch.tensor(digits.images, dtype=torch.float32)[order] / 16",
            "images = torch.tensor(digits.images, dtype=torch.float32)[order] * 4",
        ),
        swap("0.1 * torch.randn_like(batch)", "6 * torch.randn_like(batch)"),
    ),
]
