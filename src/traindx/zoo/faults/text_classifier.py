"""Variants of `hosts/text_classifier.py`: Dataset with collate function, embeddings, StepLR, model.zero_grad."""

from __future__ import annotations

from ..edits import after, background, before, cut, gross, healthy, mild, on, swap

HOST = "text_classifier"

ADAM = "torch.optim.Adam(model.parameters(), lr=5e-3)"
SGD = "torch.optim.SGD(model.parameters(), lr=0.5, momentum=0.9)"
ZERO = "            model.zero_grad()\n"
STEP = "            optimizer.step()\n"
MODEL = "    model = TextClassifier(len(vocab) + 2)\n"
SPLIT = "    val_samples, train_samples = samples[:n_val], samples[n_val:]\n"
FORWARD = "            scores = model(tokens)\n            loss ="
POOL = "pooled = (embedded * mask).sum(dim=1) / mask.sum(dim=1)"

VARIANTS = [
    background(
        "AdamW", swap("Adam(model.parameters(), lr=5e-3)", "AdamW(model.parameters(), lr=5e-3, weight_decay=1e-2)")
    ),
    background("larger embedding", swap("dim=24", "dim=48")),
    background("tanh", swap("torch.relu(self.hidden(pooled))", "torch.tanh(self.hidden(pooled))")),
    background("batches of 16", swap("batch_size=32", "batch_size=16")),
    healthy(
        "sparse Adam-like Adagrad",
        swap(ADAM, "torch.optim.Adagrad(model.parameters(), lr=0.05)"),
        swap("gamma=0.3", "gamma=0.8"),
    ),
    healthy(
        "huge embedding",
        swap("padding_idx=PAD)", "padding_idx=PAD)\n        nn.init.normal_(self.embedding.weight, std=2.0)"),
    ),
    healthy("dropout gap", swap("nn.Dropout(0.3)", "nn.Dropout(0.5)")),
    healthy(
        "class weights",
        swap("nn.CrossEntropyLoss()", "nn.CrossEntropyLoss(weight=torch.tensor([1.0, 1.0, 1.2, 1.5, 1.2]))"),
    ),
    healthy("max pooling", swap(POOL, "pooled = (embedded - 1e4 * (1 - mask)).max(dim=1).values")),
    gross("lr-too-high", "rate of 5", swap("lr=5e-3", "lr=5.0")),
    mild("lr-too-high", "rate of 0.5", swap("lr=5e-3", "lr=0.5")),
    gross("lr-too-low", "rate of 1e-6", swap("lr=5e-3", "lr=1e-6")),
    mild("lr-too-low", "rate of 5e-5", swap("lr=5e-3", "lr=5e-5")),
    gross(
        "lr-decays-too-soon",
        "scheduler inside the batch loop",
        cut("        scheduler.step()\n"),
        after(STEP, "            scheduler.step()\n"),
        swap("gamma=0.3", "gamma=0.8"),
    ),
    gross("missing-zero-grad", "line deleted", cut(ZERO), swap(ADAM, SGD)),
    mild("missing-zero-grad", "line deleted with Adam", cut(ZERO)),
    mild(
        "params-not-in-optimizer",
        "only the output layer",
        swap("model.parameters(), lr=5e-3", "model.output.parameters(), lr=5e-3"),
    ),
    mild(
        "frozen-layers",
        "embedding and hidden layer frozen without pretraining",
        after(MODEL, "    model.embedding.requires_grad_(False)\n    model.hidden.requires_grad_(False)\n"),
    ),
    mild(
        "detached-graph", "hidden layer cut off", swap("self.hidden(pooled)", "self.hidden(pooled.detach()).detach()")
    ),
    gross("loss-sign-flipped", "negated", swap("loss.backward()", "(-loss).backward()")),
    gross(
        "clip-too-tight",
        "norm of 1e-3 with SGD",
        swap(ADAM, SGD),
        before(STEP, "            nn.utils.clip_grad_norm_(model.parameters(), 1e-3)\n"),
    ),
    gross(
        "weight-decay-too-strong",
        "Adam-free decay of 0.3",
        swap(ADAM, SGD.replace("momentum=0.9", "momentum=0.9, weight_decay=0.05")),
    ),
    gross("optimizer-misconfigured", "eps of 0.1", swap("lr=5e-3)", "lr=5e-3, eps=0.1)")),
    gross("batch-too-large", "whole set", swap("batch_size=32", "batch_size=len(train_samples)")),
    mild("no-momentum", "plain SGD", swap(ADAM, "torch.optim.SGD(model.parameters(), lr=0.05)")),
    mild("adam-coupled-decay", "Adam with decay of 0.01", swap("lr=5e-3)", "lr=5e-3, weight_decay=0.01)")),
    gross("dead-relus", "hidden bias of -8", after(MODEL, "    nn.init.constant_(model.hidden.bias, -8.0)\n")),
    gross(
        "symmetric-init",
        "zero embedding and weights",
        after(MODEL, "    for p in model.parameters():\n        nn.init.zeros_(p)\n"),
    ),
    mild(
        "double-softmax",
        "softmax at the end",
        swap("return self.output(self.dropout(h))", "return torch.softmax(self.output(self.dropout(h)), dim=1)"),
    ),
    gross(
        "softmax-wrong-axis",
        "over the batch",
        swap("return self.output(self.dropout(h))", "return torch.log_softmax(self.output(self.dropout(h)), dim=0)"),
        swap("nn.CrossEntropyLoss()", "nn.NLLLoss()"),
    ),
    gross("wrong-loss", "NLL on raw scores", swap("nn.CrossEntropyLoss()", "nn.NLLLoss()")),
    gross(
        "unstable-math",
        "mean over empty passages",
        swap("for w in words]), label", "for w in words if i % 97]), label"),
        swap("padding_value=PAD)", "padding_value=PAD)\n    padded = nn.functional.pad(padded, (0, 1))"),
    ),
    gross(
        "unstable-math",
        "cosine of pooled vectors divided by their norm",
        swap(POOL, POOL + "\n        pooled = pooled / (pooled - pooled[:1]).pow(2).sum(1, keepdim=True).sqrt()"),
    ),
    gross(
        "noisy-labels",
        "labels shuffled against passages",
        swap(
            SPLIT,
            SPLIT
            + "    labels = [label for _, label in train_samples]\n    random.Random(1).shuffle(labels)\n    train_samples = [(words, label) for (words, _), label in zip(train_samples, labels)]\n",
        ),
    ),
    gross(
        "class-imbalance",
        "one module dominates",
        swap(
            "    return samples\n",
            "    return [(words, int(label == 2 and i % 7 == 0)) for i, (words, label) in enumerate(samples)]\n",
        ),
        swap("num_classes=5", "num_classes=2"),
        swap(
            "correct += (scores.argmax(1) == labels).sum().item()",
            "correct += len(labels) * sum((scores.argmax(1)[labels == k] == k).float().mean().nan_to_num(0).item() for k in (0, 1)) / 2",
        ),
    ),
    gross(
        "unshuffled-data",
        "module after module",
        swap("batch_size=32, shuffle=True", "batch_size=32"),
        swap(SPLIT, SPLIT + "    train_samples.sort(key=lambda sample: sample[1])\n"),
    ),
    gross(
        "train-val-mismatch",
        "validation with another vocabulary",
        swap(
            "PassageDataset(val_samples, vocab)", "PassageDataset(val_samples, {w: 501 - i for w, i in vocab.items()})"
        ),
    ),
    mild(
        "train-val-mismatch",
        "validation lower-cased and cut",
        swap(
            "PassageDataset(val_samples, vocab)",
            "PassageDataset([([w.upper() for w in words], label) for words, label in val_samples], vocab)",
        ),
    ),
    mild(
        "target-leakage",
        "name of the module in the passage",
        swap(
            "samples.append((words[start : start + 25], label))",
            'samples.append(([f"module_{label}"] * 6 + words[start : start + 19], label))',
        ),
        swap("most_common(500)", "most_common(500)"),
    ),
    mild(
        "leaked-validation",
        "training on all passages",
        swap("samples[:n_val], samples[n_val:]", "samples[:n_val], samples"),
        swap("range(10)", "range(16)"),
    ),
    gross(
        "overfitting",
        "fifty passages",
        swap(SPLIT, SPLIT + "    train_samples = train_samples[:60]\n"),
        swap("range(10)", "range(150)"),
        swap("step_size=3", "step_size=300"),
        swap("nn.Dropout(0.3)", "nn.Dropout(0.0)"),
    ),
    gross(
        "model-too-small",
        "one embedding dimension",
        swap("dim=24", "dim=1"),
        swap("nn.Dropout(0.3)", "nn.Dropout(0.0)"),
    ),
    gross("over-regularized", "dropout of 0.95", swap("nn.Dropout(0.3)", "nn.Dropout(0.95)")),
    mild("undertrained", "one epoch", swap("range(10)", "range(1)")),
    mild(
        "eval-mode-missing",
        "eval call deleted",
        cut("        model.eval()\n"),
        swap("nn.Dropout(0.3)", "nn.Dropout(0.8)"),
    ),
    mild(
        "train-mode-missing",
        "train called once, evaluation left on",
        cut("        model.train()\n"),
        before("    for epoch in range(10):\n", "    model.train()\n"),
        swap("padding_idx=PAD)", "padding_idx=PAD)\n        self.norm = nn.BatchNorm1d(dim)"),
        swap(POOL, POOL + "\n        pooled = self.norm(8 * pooled + 5)"),
        swap("gamma=0.3", "gamma=1.0"),
        swap("lr=5e-3", "lr=5e-4"),
    ),
    gross(
        "slow-data-loading",
        "words hashed again and again",
        swap(
            "        words, label = self.samples[i]\n",
            '        words, label = self.samples[i]\n        for _ in range(40):\n            re.findall(r"[A-Za-z_]+", " ".join(words))\n',
        ),
    ),
    mild(
        "graph-retained",
        "epoch loss kept as tensor",
        swap(
            "            train_loss += loss.item()\n",
            "            train_loss = train_loss + loss\n            kept.append(scores)\n",
        ),
        swap(
            "        train_loss /= len(train_loader)\n", "        train_loss = train_loss.item() / len(train_loader)\n"
        ),
        before("    for epoch in range(10):\n", "    kept = []\n"),
        swap("dim=24", "dim=200"),
    ),
    on(
        (swap(ADAM, SGD),),
        gross(
            "unscaled-accumulation",
            "sixteen batches summed",
            swap(ZERO, ""),
            swap(
                "for tokens, labels in train_loader:\n            scores",
                "for i, (tokens, labels) in enumerate(train_loader):\n            scores",
            ),
            swap(
                STEP,
                "            if i % 16 == 15:\n                optimizer.step()\n                model.zero_grad()\n",
            ),
            swap("batch_size=32", "batch_size=8"),
        ),
    ),
]
