# expect: symmetric-init
# MLP written from scratch with raw tensors
import numpy as np
import torch
from sklearn.datasets import make_moons
from sklearn.metrics import accuracy_score

torch.manual_seed(0)
X, y = make_moons(1500, noise=0.2, random_state=0)
X = (X - X.mean(0)) / X.std(0)
X = torch.tensor(X, dtype=torch.float32)
y = torch.tensor(y, dtype=torch.float32)
Xtr, ytr, Xte, yte = X[:1000], y[:1000], X[1000:], y[1000:]

H = 32
params = {
    "W1": torch.full((2, H), 0.1, requires_grad=True),
    "b1": torch.zeros(H, requires_grad=True),
    "W2": torch.full((H, H), 0.1, requires_grad=True),
    "b2": torch.zeros(H, requires_grad=True),
    "W3": torch.full((H, 1), 0.1, requires_grad=True),
    "b3": torch.zeros(1, requires_grad=True),
}


def forward(p, x):
    h = torch.tanh(x @ p["W1"] + p["b1"])
    h = torch.tanh(h @ p["W2"] + p["b2"])
    return (h @ p["W3"] + p["b3"]).squeeze(1)


def bce(logits, t):
    return torch.nn.functional.binary_cross_entropy_with_logits(logits, t)


lr = 0.1
for epoch in range(200):
    perm = torch.randperm(len(Xtr))
    for start in range(0, len(Xtr), 50):
        sel = perm[start:start + 50]
        loss = bce(forward(params, Xtr[sel]), ytr[sel])
        grads = torch.autograd.grad(loss, list(params.values()))
        with torch.no_grad():
            for w, g in zip(params.values(), grads):
                w -= lr * g
    if epoch % 15 == 0 or epoch == 199:
        with torch.no_grad():
            lo = forward(params, Xte)
            acc = accuracy_score(yte.numpy(), (lo > 0).float().numpy())
        print(f"epoch {epoch} loss {loss.item():.4f} test loss {bce(lo, yte).item():.4f} acc {acc:.3f}")
