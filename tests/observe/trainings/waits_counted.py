"""Counts the operations that would make this thread wait for an accelerator, in training and evaluation."""

from collections import Counter

import torch
from _state import show
from torch import nn
from torch.utils._python_dispatch import TorchDispatchMode

WAITING = ("_local_scalar_dense", "item", "nonzero", "unique", "bincount", "masked_select", "equal", "is_nonzero")


class Counting(TorchDispatchMode):
    def __init__(self):
        super().__init__()
        self.seen = Counter()

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        name = func.__name__.split(".")[0]
        by_mask = name == "index" and any(t is not None and t.dtype is torch.bool for t in args[1])
        if by_mask or any(name.strip("_").startswith(word.strip("_")) for word in WAITING):
            self.seen[name] += 1
        return func(*args, **(kwargs or {}))


torch.manual_seed(22)
model = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.BatchNorm1d(16), nn.Sigmoid(), nn.Linear(16, 3))
attention = nn.TransformerEncoderLayer(16, 2, 16, batch_first=True)
optimizer = torch.optim.AdamW([*model.parameters(), *attention.parameters()], lr=1e-2)
x, y = torch.randn(96, 6), torch.randint(0, 3, (96,))
with Counting() as counting:
    for step in range(60):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x[:64]), y[:64])
        loss = loss + nn.functional.mse_loss(attention(torch.randn(2, 8, 16)), torch.zeros(2, 8, 16))
        loss = loss + nn.functional.binary_cross_entropy_with_logits(model(x[:64])[:, 0], (y[:64] == 0).float())
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        if step % 10 == 0:
            with torch.no_grad():
                nn.functional.cross_entropy(model(x[64:]), y[64:])
    print(loss.item(), sorted(counting.seen.items()))
show(*model.parameters())
