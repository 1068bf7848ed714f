"""Variants of `hosts/lstm_chars.py`: while loop over steps, state carried along the text, OneCycle schedule."""

from __future__ import annotations

from ..edits import after, background, cut, gross, healthy, mild, swap

HOST = "lstm_chars"

ADAM = "optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)\n"
ZERO = "    optimizer.zero_grad()\n"
LOSS = "    loss = loss_fn(logits.reshape(-1, len(chars)), targets.reshape(-1))\n"
CLIP = "    nn.utils.clip_grad_norm_(model.parameters(), 1.0)\n"
STEP = "    optimizer.step()\n"
DETACH = "    state = repackage(state)\n"
MODEL = "model = CharLSTM(len(chars))\n"
CYCLE = (
    "scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=1e-2, total_steps=max_steps, pct_start=0.1)\n"
)
TARGETS = "    targets = train_ids[:, start + 1 : start + 1 + BPTT]\n    state"

VARIANTS = [
    background("AdamW", swap("torch.optim.Adam(", "torch.optim.AdamW(")),
    background("larger hidden state", swap("hidden=64", "hidden=96")),
    background(
        "batches of 8", swap("BATCH, BPTT = 16, 32", "BATCH, BPTT = 8, 32"), swap("max_steps = 9 *", "max_steps = 5 *")
    ),
    background("tied state reset every step", swap(DETACH, "    state = model.init_state(BATCH)\n")),
    healthy(
        "GRU-sized embedding with huge gradients",
        swap(
            "self.embed = nn.Embedding(vocab, embed)",
            "self.embed = nn.Embedding(vocab, embed)\n        nn.init.normal_(self.embed.weight, std=3.0)",
        ),
    ),
    healthy("clipping at five", swap("model.parameters(), 1.0)", "model.parameters(), 5.0)")),
    healthy(
        "forget bias of one", after(MODEL, "with torch.no_grad():\n    model.lstm.bias_hh_l0[64:128].fill_(1.0)\n")
    ),
    healthy("dropout gap", swap("nn.Dropout(0.1)", "nn.Dropout(0.3)")),
    healthy(
        "no validation until the end",
        swap(
            "        val_loss, val_acc = evaluate()\n",
            "        val_loss, val_acc = evaluate() if step == max_steps else (0.0, 0.0)\n",
        ),
    ),
    gross("lr-too-high", "rate of 1", swap("max_lr=1e-2", "max_lr=1.0")),
    mild("lr-too-high", "rate of 0.2", swap("max_lr=1e-2", "max_lr=0.2")),
    gross("lr-too-low", "rate of 1e-6", swap("max_lr=1e-2", "max_lr=1e-6")),
    mild("lr-too-low", "rate of 2e-4", swap("max_lr=1e-2", "max_lr=2e-4")),
    gross(
        "lr-decays-too-soon",
        "exponential decay stepped every batch",
        swap(CYCLE, "scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.85)\n"),
    ),
    gross("missing-zero-grad", "line deleted", cut(ZERO), cut(CLIP)),
    mild("missing-zero-grad", "line deleted with clipping", cut(ZERO)),
    mild(
        "params-not-in-optimizer",
        "only the decoder",
        swap("Adam(model.parameters()", "Adam(model.decoder.parameters()"),
    ),
    mild(
        "frozen-layers",
        "LSTM and embedding frozen",
        after(MODEL, "model.lstm.requires_grad_(False)\nmodel.embed.requires_grad_(False)\n"),
    ),
    mild("detached-graph", "output detached", swap("self.decoder(output)", "self.decoder(output.detach())")),
    gross("loss-sign-flipped", "negated", swap("loss.backward()", "(-loss).backward()")),
    mild(
        "clip-too-tight",
        "norm of 1e-4 with SGD",
        swap(ADAM, "optimizer = torch.optim.SGD(model.parameters(), lr=0.5, momentum=0.9)\n"),
        swap("max_lr=1e-2", "max_lr=0.5"),
        swap("model.parameters(), 1.0)", "model.parameters(), 1e-3)"),
    ),
    gross("optimizer-misconfigured", "eps of 1", swap("lr=1e-2)\n", "lr=1e-2, eps=1.0)\n")),
    gross(
        "weight-decay-too-strong",
        "AdamW with decay of 30",
        swap("Adam(model.parameters(), lr=1e-2)", "AdamW(model.parameters(), lr=1e-2, weight_decay=30.0)"),
    ),
    mild(
        "double-softmax",
        "softmax of the decoder",
        swap("self.decoder(output), state", "torch.softmax(self.decoder(output), dim=-1), state"),
    ),
    gross(
        "softmax-wrong-axis",
        "over time",
        swap("self.decoder(output), state", "torch.log_softmax(self.decoder(output), dim=1), state"),
        swap("nn.CrossEntropyLoss()", "nn.NLLLoss()"),
    ),
    gross("wrong-loss", "NLL on raw scores", swap("nn.CrossEntropyLoss()", "nn.NLLLoss()")),
    gross(
        "scrambled-axes",
        "targets transposed before flattening",
        swap(LOSS, LOSS.replace("targets.reshape(-1)", "targets.t().reshape(-1)")),
    ),
    gross(
        "scrambled-axes",
        "batch_first forgotten",
        swap("nn.LSTM(embed, hidden, batch_first=True)", "nn.LSTM(embed, hidden)"),
        swap("return torch.zeros(1, batch_size, self.hidden), torch.zeros(1, batch_size, self.hidden)", "return None"),
        swap("return tuple(s.detach() for s in state)", "return None"),
        swap("state = model.init_state(BATCH)\n    loss_sum", "state = None\n    loss_sum"),
        swap(
            "            logits, state = model(inputs, state)\n            loss_sum",
            "            logits, _ = model(inputs, None)\n            loss_sum",
        ),
    ),
    gross(
        "noisy-labels",
        "targets from elsewhere",
        swap(TARGETS, TARGETS.replace("    state", "    targets = targets.roll(3, dims=0)\n    state")),
    ),
    mild(
        "target-leakage",
        "targets equal the inputs",
        swap(
            "    targets = train_ids[:, start + 1 : start + 1 + BPTT]\n",
            "    targets = train_ids[:, start : start + BPTT]\n",
        ),
        swap(
            "            targets = val_ids[:, start + 1 : start + 1 + width]\n",
            "            targets = val_ids[:, start : start + width]\n",
        ),
    ),
    mild(
        "leaked-validation",
        "tail of the training text",
        swap("data[:cut], data[cut:]", "data[:cut], data[cut // 3 : cut // 3 + 2400]"),
    ),
    gross(
        "overfitting",
        "a thousand characters",
        swap("data[:cut], data[cut:]", "data[:1100], data[cut:]"),
        swap("max_steps = 9 *", "max_steps = 260 *"),
        swap("nn.Dropout(0.1)", "nn.Dropout(0.0)"),
        swap("hidden=64", "hidden=128"),
    ),
    gross("model-too-small", "two hidden units", swap("hidden=64", "hidden=2")),
    gross("over-regularized", "dropout of 0.95", swap("nn.Dropout(0.1)", "nn.Dropout(0.95)")),
    mild(
        "undertrained",
        "two epochs",
        swap("max_steps = 9 *", "max_steps = 2 *"),
        swap(CYCLE, "scheduler = torch.optim.lr_scheduler.ConstantLR(optimizer, factor=0.3, total_iters=10000)\n"),
    ),
    mild(
        "eval-mode-missing", "eval call deleted", cut("    model.eval()\n"), swap("nn.Dropout(0.1)", "nn.Dropout(0.5)")
    ),
    gross(
        "graph-retained",
        "state not detached",
        swap(DETACH, ""),
        swap("    loss.backward()\n", "    loss.backward(retain_graph=True)\n"),
        swap(
            "    optimizer.step()\n",
            "    with torch.no_grad():\n        for p in model.parameters():\n            p.data = p.data - scheduler.get_last_lr()[0] * 20 * p.grad\n",
        ),
        swap("max_steps = 9 *", "max_steps = 4 *"),
    ),
    gross("graph-retained", "state not detached, backward fails", cut(DETACH)),
    mild(
        "graph-retained",
        "losses kept as tensors",
        swap("running.append(loss.item())", "running.append(loss)\n    kept.append(loss)"),
        swap("step, running = 0, []\n", "step, running, kept = 0, [], []\n"),
        swap("sum(running) / len(running)", "sum(running).item() / len(running)"),
    ),
    mild(
        "exploding-gradients",
        "no clipping, large recurrent gain",
        cut(CLIP),
        after(MODEL, "with torch.no_grad():\n    nn.init.orthogonal_(model.lstm.weight_hh_l0, gain=6.0)\n"),
        swap(ADAM, "optimizer = torch.optim.SGD(model.parameters(), lr=1.0, momentum=0.9)\n"),
        swap("max_lr=1e-2", "max_lr=1.0"),
    ),
]
