"""Variants of `hosts/mlp_digits.py`: top-level script, nn.Sequential, DataLoader, Adam with exponential decay."""

from __future__ import annotations

from ..edits import after, background, before, cut, gross, healthy, mild, swap

HOST = "mlp_digits"

_ADAM = "optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)\n"
_ZERO = "        optimizer.zero_grad()\n"
_LOSS = "        loss = criterion(out, yb)\n"
_SCALE = 'X = digits.data.astype("float32") / 16.0\n'
_SPLIT = (
    "X_train, X_val, y_train, y_val = train_test_split(X, y, test_size=0.3, random_state=SEED, stratify=y)\n"
)
_TRAIN_LOADER = "train_loader = DataLoader(TensorDataset(X_train, y_train), batch_size=32, shuffle=True)\n"
_VAL_LOADER = "val_loader = DataLoader(TensorDataset(X_val, y_val), batch_size=256)\n"
_TENSORS = "y_train, y_val = torch.from_numpy(y_train), torch.from_numpy(y_val)\n"
_LAST = "    nn.Linear(48, 10),\n"
_STEP = "        optimizer.step()\n"
_SCHEDULED = "    scheduler.step()\n"


def _init(body: str) -> str:
    return f"for layer in model:\n    if isinstance(layer, nn.Linear):\n        {body}\n"


VARIANTS = [
    background("AdamW with weight decay", swap(_ADAM, _ADAM.replace("Adam(", "AdamW(").replace("2e-3", "2e-3, weight_decay=1e-4"))),
    background("SGD with momentum", swap(_ADAM, "optimizer = torch.optim.SGD(model.parameters(), lr=0.06, momentum=0.9)\n")),
    background("wider hidden layer", swap("nn.Linear(64, 96)", "nn.Linear(64, 160)"), swap("nn.Linear(96, 48)", "nn.Linear(160, 48)")),
    background("GELU", swap("    nn.ReLU(),\n    nn.Dropout(0.2),\n", "    nn.GELU(),\n    nn.Dropout(0.2),\n")),
    background("validation over the training set too", after(_SCHEDULED, (
        "    model.eval()\n    with torch.no_grad():\n        fit = (model(X_train).argmax(1) == y_train).float().mean()\n"
        '    print(f"accuracy on the training set {fit:.3f}")\n'
    ))),
    healthy("log softmax and NLL", swap(_LAST, _LAST + "    nn.LogSoftmax(dim=1),\n"), swap("nn.CrossEntropyLoss()", "nn.NLLLoss()")),
    healthy("summed loss with matching rate",
        swap("nn.CrossEntropyLoss()", 'nn.CrossEntropyLoss(reduction="sum")'),
        swap(_ADAM, "optimizer = torch.optim.SGD(model.parameters(), lr=0.05 / 32, momentum=0.9)\n"),
        swap("total += loss.item() * len(xb)", "total += loss.item()"),
        swap("criterion(out, yb).item() * len(xb)", "criterion(out, yb).item()"),
    ),
    healthy("generous clipping", before(_STEP, "        nn.utils.clip_grad_norm_(model.parameters(), 5.0)\n")),
    healthy("correct accumulation over two halves", swap(
        "        out = model(xb)\n" + _LOSS + "        loss.backward()\n",
        "        for part, target in zip(xb.chunk(2), yb.chunk(2)):\n"
        "            loss = criterion(model(part), target) * len(part) / len(xb)\n"
        "            loss.backward()\n        loss = criterion(model(xb).detach(), yb)\n",
    )),
    healthy("no validation during training", swap("    model.eval()\n    val_loss", "    if epoch < 21:\n        print(f\"epoch {epoch} {train_loss:.4f}\")\n        continue\n    model.eval()\n    val_loss")),
    gross("lr-too-high", "rate of 0.3", swap("lr=2e-3", "lr=0.3")),
    mild("lr-too-high", "rate of 0.05", swap("lr=2e-3", "lr=0.05")),
    gross("lr-too-low", "rate of 1e-6", swap("lr=2e-3", "lr=1e-6")),
    mild("lr-too-low", "rate of 5e-5", swap("lr=2e-3", "lr=5e-5")),
    gross("lr-decays-too-soon", "scheduler stepped every batch", cut(_SCHEDULED), after(_STEP, "        scheduler.step()\n")),
    gross("missing-zero-grad", "line deleted", cut(_ZERO)),
    gross("missing-zero-grad", "cleared once before the epoch", cut(_ZERO), before("    for xb, yb in train_loader:\n", "    optimizer.zero_grad()\n")),
    gross("params-not-in-optimizer", "never stepped", cut(_STEP)),
    gross("params-not-in-optimizer", "only the last layer", swap(_ADAM, _ADAM.replace("model.parameters()", "model[-1].parameters()"))),
    gross("double-softmax", "Softmax as last layer", after(_LAST, "    nn.Softmax(dim=1),\n")),
    mild("double-softmax", "softmax at the call", swap("        out = model(xb)\n" + _LOSS, "        out = model(xb).softmax(dim=-1)\n" + _LOSS)),
]
