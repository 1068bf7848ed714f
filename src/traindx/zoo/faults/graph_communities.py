"""Variants of `hosts/graph_communities.py`: full-batch training with masks, functional dropout, argparse."""

from __future__ import annotations

from ..edits import after, background, cut, gross, healthy, mild, swap

HOST = "graph_communities"

ADAM = "torch.optim.Adam(model.parameters(), lr=args.lr, weight_decay=args.weight_decay)"
ZERO = "        optimizer.zero_grad()\n"
STEP = "        optimizer.step()\n"
LOSS = "        loss = F.cross_entropy(output[train_mask], labels[train_mask])\n"
MODEL = "    model = GCN(16, args.hidden, 6)\n"
RATE = '"--lr", type=float, default=0.01'
EPOCHS = '"--epochs", type=int, default=160'
DECAY = '"--weight-decay", type=float, default=5e-4'
CONV1 = "        x = F.relu(self.conv1(x, adjacency))\n"
FINAL = "        return self.conv2(x, adjacency)\n"

VARIANTS = [
    background("AdamW", swap("torch.optim.Adam(", "torch.optim.AdamW(")),
    background("wider", swap("default=24", "default=48")),
    background("ELU", swap(CONV1, "        x = F.elu(self.conv1(x, adjacency))\n")),
    healthy(
        "log softmax and NLL",
        swap(FINAL, "        return F.log_softmax(self.conv2(x, adjacency), dim=1)\n"),
        swap(
            "loss = F.cross_entropy(output[train_mask], labels[train_mask])\n",
            "loss = F.nll_loss(output[train_mask], labels[train_mask])\n",
        ),
        swap("F.cross_entropy(output[val_mask]", "F.nll_loss(output[val_mask]"),
    ),
    healthy("no dropout", swap("F.dropout(x, 0.4", "F.dropout(x, 0.0"), swap("F.dropout(x, 0.2", "F.dropout(x, 0.0")),
    healthy("strong dropout", swap("F.dropout(x, 0.4", "F.dropout(x, 0.6")),
    healthy(
        "validation every tenth epoch",
        swap("        model.eval()\n", "        if epoch % 10 != 9:\n            continue\n        model.eval()\n"),
    ),
    gross("lr-too-high", "rate of 30", swap(RATE, RATE.replace("0.01", "30.0"))),
    gross("lr-too-low", "rate of 1e-6", swap(RATE, RATE.replace("0.01", "1e-6"))),
    mild("lr-too-low", "rate of 2e-4", swap(RATE, RATE.replace("0.01", "2e-4"))),
    gross("missing-zero-grad", "line deleted", cut(ZERO), swap(ADAM, "torch.optim.SGD(model.parameters(), lr=0.5)")),
    gross(
        "params-not-in-optimizer",
        "first layer left out and the second made again",
        after("    optimizer = " + ADAM + "\n", "    model.conv2 = GraphConv(args.hidden, 6)\n"),
    ),
    gross(
        "detached-graph",
        "output taken as data",
        swap(
            "        output = model(features, adjacency)\n        loss",
            "        output = model(features, adjacency).data.requires_grad_()\n        loss",
        ),
    ),
    gross("loss-sign-flipped", "negated", swap("loss.backward()", "(-loss).backward()")),
    gross("weight-decay-too-strong", "decay of 0.5", swap(DECAY, DECAY.replace("5e-4", "0.5"))),
    mild("weight-decay-too-strong", "decay of 0.05", swap(DECAY, DECAY.replace("5e-4", "0.05"))),
    gross(
        "optimizer-misconfigured",
        "eps of 10",
        swap("weight_decay=args.weight_decay)", "weight_decay=args.weight_decay, eps=10.0)"),
    ),
    mild("no-momentum", "plain SGD", swap(ADAM, "torch.optim.SGD(model.parameters(), lr=args.lr)")),
    gross("dead-relus", "bias of -6", after(MODEL, "    torch.nn.init.constant_(model.conv1.linear.bias, -6.0)\n")),
    gross(
        "symmetric-init", "zeros", after(MODEL, "    for p in model.parameters():\n        torch.nn.init.zeros_(p)\n")
    ),
    mild(
        "double-softmax",
        "softmax at the end",
        swap(FINAL, "        return F.softmax(self.conv2(x, adjacency), dim=1)\n"),
    ),
    gross(
        "softmax-wrong-axis",
        "over the nodes",
        swap(FINAL, "        return F.log_softmax(self.conv2(x, adjacency), dim=0)\n"),
        swap(
            "loss = F.cross_entropy(output[train_mask], labels[train_mask])\n",
            "loss = F.nll_loss(output[train_mask], labels[train_mask])\n",
        ),
    ),
    gross(
        "wrong-loss",
        "NLL on raw scores",
        swap(
            "loss = F.cross_entropy(output[train_mask], labels[train_mask])\n",
            "loss = F.nll_loss(output[train_mask], labels[train_mask])\n",
        ),
    ),
    gross(
        "nonfinite-data",
        "isolated nodes without self loops",
        swap(
            "adjacency = edges + edges.t() + torch.eye(nodes)",
            "edges[:, ::40] = edges[::40] = 0\n    adjacency = edges + edges.t()",
        ),
    ),
    gross(
        "exploding-gradients",
        "adjacency not normalised over five hops",
        swap("normalized = adjacency / torch.sqrt(degree[:, None] * degree[None, :])", "normalized = adjacency"),
        swap(
            CONV1,
            "        x = F.relu(self.conv1(x, adjacency))\n        for _ in range(5):\n            x = adjacency @ x\n",
        ),
    ),
    gross(
        "unscaled-inputs",
        "features in thousands",
        swap(
            "    features[torch.arange(nodes), labels] += 1.6\n",
            "    features[torch.arange(nodes), labels] += 1.6\n    features = features * 3000 + 2000\n",
        ),
    ),
    gross(
        "noisy-labels",
        "labels permuted",
        swap(
            "    return features, normalized, labels\n",
            "    return features, normalized, labels[torch.randperm(nodes, generator=generator)]\n",
        ),
    ),
    gross(
        "class-imbalance",
        "one community dominates",
        swap(
            "labels = torch.randint(communities, (nodes,), generator=generator)",
            "labels = torch.multinomial(torch.tensor([0.95, 0.01, 0.01, 0.01, 0.01, 0.01]), nodes, True, generator=generator)",
        ),
        swap(
            "val_acc = (output[val_mask].argmax(1) == labels[val_mask]).float().mean().item()",
            "hit = (output[val_mask].argmax(1) == labels[val_mask]).float()\n            val_acc = sum(hit[labels[val_mask] == k].mean().nan_to_num(0).item() for k in range(6)) / 6",
        ),
    ),
    mild(
        "target-leakage",
        "community written into the features",
        swap("features[torch.arange(nodes), labels] += 1.6", "features[torch.arange(nodes), labels] += 9.0"),
    ),
    mild(
        "leaked-validation",
        "masks overlap",
        swap("order[:350], order[350:]", "order[:120], order[:120]"),
        swap(EPOCHS, EPOCHS.replace("160", "400")),
    ),
    gross(
        "overfitting",
        "thirty labelled nodes",
        swap("order[:350], order[350:]", "order[:24], order[350:]"),
        swap("F.dropout(x, 0.4", "F.dropout(x, 0.0"),
        swap("F.dropout(x, 0.2", "F.dropout(x, 0.0"),
        swap(DECAY, DECAY.replace("5e-4", "0.0")),
        swap(EPOCHS, EPOCHS.replace("160", "500")),
    ),
    gross(
        "over-regularized",
        "dropout of 0.95",
        swap("F.dropout(x, 0.4", "F.dropout(x, 0.97"),
        swap("F.dropout(x, 0.2", "F.dropout(x, 0.8"),
    ),
    mild(
        "eval-mode-missing",
        "dropout always on",
        swap("F.dropout(x, 0.4, training=self.training)", "F.dropout(x, 0.6)"),
        swap("F.dropout(x, 0.2, training=self.training)", "F.dropout(x, 0.5)"),
    ),
    mild("undertrained", "twenty epochs", swap(EPOCHS, EPOCHS.replace("160", "20"))),
    mild("model-too-small", "one hidden unit", swap("default=24", "default=1")),
]
