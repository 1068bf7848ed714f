# expect: lr-too-high
# about: factorisation machine for ad clicks, Adagrad as in the original CTR papers
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, IterableDataset

torch.manual_seed(70)
torch.set_num_threads(1)
FIELDS, CARD, K = 6, 30, 8
truth_w, truth_v = 0.4 * torch.randn(FIELDS * CARD), 0.45 * torch.randn(FIELDS * CARD, 4)


def fm_score(w, v, ids, bias=0.0):
    e = v[ids]
    return bias + w[ids].sum(1) + 0.5 * (e.sum(1).pow(2) - e.pow(2).sum(1)).sum(1)


class ClickStream(IterableDataset):
    def __init__(self, n):
        self.n = n

    def __iter__(self):
        for _ in range(self.n // 50):
            ids = torch.randint(0, CARD, (50, FIELDS)) + torch.arange(FIELDS) * CARD
            y = torch.bernoulli(torch.sigmoid(fm_score(truth_w, truth_v, ids, -0.5)))
            yield from zip(ids, y)


class FM(nn.Module):
    def __init__(self):
        super().__init__()
        self.bias = nn.Parameter(torch.zeros(1))
        self.w = nn.Parameter(torch.zeros(FIELDS * CARD))
        self.v = nn.Parameter(0.05 * torch.randn(FIELDS * CARD, K))

    def forward(self, ids):
        return fm_score(self.w, self.v, ids, self.bias)


model = FM()
bce = nn.BCEWithLogitsLoss()
optimizer = torch.optim.Adagrad(model.parameters(), lr=4.0)
held = next(iter(DataLoader(ClickStream(4000), batch_size=4000)))
loader = DataLoader(ClickStream(40000), batch_size=100)
recent = []
for step, (ids, y) in enumerate(loader, 1):
    loss = bce(model(ids), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    recent.append(loss.item())
    if step % 50 == 0:
        with torch.no_grad():
            out = model(held[0])
        print(f"step {step} logloss {sum(recent[-50:]) / 50:.4f} held-out {bce(out, held[1]).item():.4f} acc {((out > 0).float() == held[1]).float().mean().item():.3f}")
# cure: - optimizer = torch.optim.Adagrad(model.parameters(), lr=4.0)
# cure: + optimizer = torch.optim.Adagrad(model.parameters(), lr=0.08)
