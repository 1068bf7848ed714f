"""Variants of `hosts/rnn_waves.py`: vanilla RNN on generated sequences, clipping, Adam with cosine decay."""

from __future__ import annotations

from ..edits import after, background, cut, gross, healthy, mild, swap

HOST = "rnn_waves"

ADAM = "torch.optim.Adam(model.parameters(), lr=4e-3)"
SGD = "torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)"
ZERO = "        optimizer.zero_grad()\n"
LOSS = "        loss = criterion(logits, y[idx])\n"
CLIP = "        clip_grad_norm_(model.parameters(), 1.0)\n"
STEP = "        optimizer.step()\n"
SCHEDULED = "    scheduler.step()\n"
ORTHOGONAL = "        nn.init.orthogonal_(self.rnn.weight_hh_l0)\n"
MODEL = "model = WaveRNN()\n"
DATA = "x_test, y_test = make_waves(600, g)\n"
OUT = "        return self.out(states[:, -1])\n"
KINDS = "    kinds = torch.randint(0, 4, (count,), generator=generator)\n"

VARIANTS = [
    background("AdamW", swap(ADAM, ADAM.replace("Adam(", "AdamW("))),
    background("more hidden units", swap("hidden_size=40", "hidden_size=64")),
    background("batches of 25", swap("batch_size=50", "batch_size=25"), swap("n_epochs = 12", "n_epochs = 8")),
    healthy("GRU", swap("self.rnn = nn.RNN(", "self.rnn = nn.GRU("), cut(ORTHOGONAL)),
    healthy(
        "ReLU recurrence from the identity",
        swap("batch_first=True)", 'batch_first=True, nonlinearity="relu")'),
        swap("nn.init.orthogonal_(self.rnn.weight_hh_l0)", "nn.init.eye_(self.rnn.weight_hh_l0)"),
        swap("lr=4e-3", "lr=2e-3"),
    ),
    healthy("mean over time", swap("states[:, -1]", "states.mean(dim=1)")),
    healthy("clipping at five", swap("model.parameters(), 1.0)", "model.parameters(), 5.0)")),
    healthy(
        "noisy batches of five",
        swap("batch_size=50", "batch_size=10"),
        swap("lr=4e-3", "lr=1e-3"),
        swap("n_epochs = 12", "n_epochs = 7"),
    ),
    gross("lr-too-high", "rate of 0.5", swap("lr=4e-3", "lr=0.5")),
    mild("lr-too-high", "rate of 0.05", swap("lr=4e-3", "lr=0.05")),
    gross("lr-too-low", "rate of 1e-6", swap("lr=4e-3", "lr=1e-6")),
    mild("lr-too-low", "rate of 5e-5", swap("lr=4e-3", "lr=5e-5")),
    gross(
        "lr-decays-too-soon",
        "cosine stepped every batch over epochs",
        cut(SCHEDULED),
        swap("CosineAnnealingLR(optimizer, n_epochs)", "ExponentialLR(optimizer, 0.9)"),
        after(STEP, "        scheduler.step()\n"),
    ),
    gross("missing-zero-grad", "line deleted", cut(ZERO), cut(CLIP)),
    mild("missing-zero-grad", "line deleted with clipping", cut(ZERO)),
    mild(
        "params-not-in-optimizer",
        "only the output layer",
        swap("Adam(model.parameters()", "Adam(model.out.parameters()"),
    ),
    mild(
        "frozen-layers",
        "recurrent weights frozen from scratch",
        after(MODEL, "for p in model.rnn.parameters():\n    p.requires_grad = False\n"),
    ),
    mild("detached-graph", "states detached", swap("states[:, -1]", "states[:, -1].detach()")),
    gross("loss-sign-flipped", "negated", swap("loss.backward()", "(-loss).backward()")),
    gross(
        "clip-too-tight",
        "norm of 1e-3 with SGD",
        swap(ADAM, SGD),
        swap("model.parameters(), 1.0)", "model.parameters(), 1e-3)"),
    ),
    gross(
        "weight-decay-too-strong",
        "AdamW with decay of 50",
        swap(ADAM, ADAM.replace("Adam(", "AdamW(").replace("4e-3", "4e-3, weight_decay=50.0")),
    ),
    gross("optimizer-misconfigured", "eps of 1", swap("lr=4e-3)", "lr=4e-3, eps=1.0)")),
    gross("batch-too-large", "whole set", swap("batch_size=50", "batch_size=2000")),
    mild(
        "batch-too-small",
        "two samples",
        swap("batch_size=50", "batch_size=2"),
        swap("n_epochs = 12", "n_epochs = 2"),
        swap("lr=4e-3", "lr=8e-3"),
    ),
    gross(
        "vanishing-gradients",
        "small recurrent weights over 120 samples",
        swap("STEPS = 28", "STEPS = 120"),
        swap(ORTHOGONAL, ""),
        swap("signal = signal + 0.25", "signal[:, 25:] = 0\n    signal = signal + 0.02"),
        swap("n_epochs = 12", "n_epochs = 4"),
    ),
    gross(
        "exploding-gradients",
        "no clipping, growing recurrence",
        cut(CLIP),
        swap("batch_first=True)", 'batch_first=True, nonlinearity="relu")'),
        swap("nn.init.orthogonal_(self.rnn.weight_hh_l0)", "nn.init.orthogonal_(self.rnn.weight_hh_l0, gain=1.4)"),
        swap("STEPS = 28", "STEPS = 60"),
        swap("n_epochs = 12", "n_epochs = 6"),
    ),
    mild(
        "exploding-gradients",
        "no clipping with SGD",
        cut(CLIP),
        swap(ADAM, SGD),
        swap("nn.init.orthogonal_(self.rnn.weight_hh_l0)", "nn.init.orthogonal_(self.rnn.weight_hh_l0, gain=1.6)"),
        swap("STEPS = 28", "STEPS = 60"),
        swap("n_epochs = 12", "n_epochs = 6"),
    ),
    gross(
        "saturated-activations",
        "recurrent biases of ten",
        after(ORTHOGONAL, "        nn.init.constant_(self.rnn.bias_ih_l0, 10.0)\n"),
    ),
    gross(
        "init-too-large",
        "weights of fifty and three",
        after(
            ORTHOGONAL,
            "        nn.init.normal_(self.rnn.weight_ih_l0, std=50.0)\n        nn.init.normal_(self.rnn.weight_hh_l0, std=3.0)\n",
        ),
    ),
    gross(
        "init-too-small",
        "all weights of std 1e-4",
        swap(ORTHOGONAL, "        for p in self.parameters():\n            nn.init.normal_(p, std=1e-4)\n"),
        swap(ADAM, SGD),
    ),
    mild(
        "symmetric-init",
        "constant weights",
        swap(ORTHOGONAL, "        for p in self.parameters():\n            nn.init.constant_(p, 0.02)\n"),
    ),
    mild(
        "double-softmax",
        "softmax of the output",
        swap(OUT, "        return torch.softmax(self.out(states[:, -1]), dim=1)\n"),
    ),
    gross("wrong-loss", "NLL on raw scores", swap("nn.CrossEntropyLoss()", "nn.NLLLoss()")),
    gross(
        "nonfinite-data",
        "signal divided by its height",
        swap(
            "    signal = signal + 0.25 * torch.randn(count, STEPS, generator=generator)\n",
            "    signal[:: count // 4] = 0\n    signal = signal / signal.abs().amax(1, keepdim=True)\n",
        ),
    ),
    gross("nonfinite-data", "a sensor drops out", after(DATA, 'x_train[40, 10:] = float("nan")\n')),
    gross("unscaled-inputs", "signal in thousands", after(DATA, "x_train, x_test = x_train * 3000, x_test * 3000\n")),
    mild(
        "bad-batch",
        "glitches in five sequences",
        after(DATA, "x_train[:5] *= 1e5\n"),
        cut(CLIP),
        swap("batch_first=True)", 'batch_first=True, nonlinearity="relu")'),
    ),
    gross("noisy-labels", "labels rolled", after(DATA, "y_train = y_train.roll(1)\n")),
    gross(
        "class-imbalance",
        "one kind dominates",
        swap(
            KINDS,
            "    kinds = torch.multinomial(torch.tensor([0.01, 0.97, 0.01, 0.01]), count, True, generator=generator)\n",
        ),
        swap(
            "(logits.argmax(1) == y).float().mean().item()",
            "sum((logits.argmax(1)[y == k] == k).float().mean().item() for k in range(4)) / 4",
        ),
    ),
    gross(
        "unshuffled-data",
        "sorted by kind",
        after(DATA, "y_train, by_kind = y_train.sort()\nx_train = x_train[by_kind]\n"),
        swap("order = torch.randperm(len(x))", "order = torch.arange(len(x))"),
    ),
    gross(
        "train-val-mismatch",
        "test signals twice as fast",
        after(DATA, "x_test = torch.cat([x_test[:, ::2], x_test[:, ::2]], 1)\n"),
    ),
    gross(
        "scrambled-axes",
        "batch and time swapped",
        swap("input_size=1, hidden_size=hidden_size, batch_first=True", "input_size=1, hidden_size=hidden_size"),
    ),
    gross(
        "scrambled-axes",
        "view in place of transpose",
        swap(
            "        states, last = self.rnn(x)\n",
            "        x = x.transpose(0, 1).reshape(x.shape)\n        states, last = self.rnn(x)\n",
        ),
    ),
    gross(
        "overfitting",
        "thirty sequences",
        after(DATA, "x_train, y_train = x_train[:50], y_train[:50]\n"),
        swap("n_epochs = 12", "n_epochs = 250"),
    ),
    gross("model-too-small", "two hidden units", swap("hidden_size=40", "hidden_size=2")),
    gross(
        "over-regularized",
        "dropout of 0.95",
        swap("self.out(states[:, -1])", "self.out(nn.functional.dropout(states[:, -1], 0.95, self.training))"),
    ),
    mild(
        "undertrained",
        "three epochs",
        swap("for epoch in range(n_epochs)", "for epoch in range(3)"),
        swap("lr=4e-3", "lr=2e-3"),
    ),
    mild(
        "graph-retained",
        "loss tensors kept",
        swap("total_loss += loss.item()", "total_loss = total_loss + loss\n        KEPT.append(total_loss)"),
        swap("return total_loss / n_batches", "return total_loss.item() / n_batches"),
        after("STEPS = 28\n", "KEPT = []\n"),
    ),
    mild(
        "slow-data-loading",
        "waves made again for every batch",
        swap(
            "        logits = model(x[idx])\n",
            "        for _ in range(20):\n            make_waves(500, torch.Generator().manual_seed(i))\n        logits = model(x[idx])\n",
        ),
    ),
]
