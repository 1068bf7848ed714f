# expect: double-softmax
# about: siamese network that says whether two clauses mean the same, probability output and a logits loss
import torch
import torch.nn as nn


class ClausePairs(nn.Module):
    def __init__(self, vocab=200, dim=32):
        super().__init__()
        self.emb = nn.EmbeddingBag(vocab, dim)
        self.proj = nn.Sequential(nn.Linear(dim, 48), nn.ReLU(), nn.Linear(48, 24))
        self.head = nn.Sequential(nn.Linear(48, 32), nn.ReLU(), nn.Linear(32, 1))

    def forward(self, a, b):
        ea, eb = self.proj(self.emb(a)), self.proj(self.emb(b))
        score = self.head(torch.cat([(ea - eb).abs(), ea * eb], dim=1))
        return torch.sigmoid(score).squeeze(1)


def pairs(n, words=8, topics=20):
    ta = torch.randint(0, topics, (n,))
    same = torch.rand(n) < 0.35
    tb = torch.where(same, ta, (ta + torch.randint(1, topics, (n,))) % topics)
    draw = lambda t: t[:, None] * 10 + torch.randint(0, 10, (n, words))
    return draw(ta), draw(tb), same.float()


torch.manual_seed(50)
torch.set_num_threads(1)
train, val = pairs(3000), pairs(600)
model = ClausePairs()
criterion = nn.BCEWithLogitsLoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
for epoch in range(16):
    running = 0.0
    for idx in torch.randperm(3000).split(60):
        a, b, t = (v[idx] for v in train)
        p = model(a, b)
        loss = criterion(p, t)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        running += loss.item() / 50
    with torch.no_grad():
        p = model(val[0], val[1])
        tp = ((p > 0.5) & (val[2] > 0)).sum().item()
        f1 = 2 * tp / max((p > 0.5).sum().item() + val[2].sum().item(), 1)
        brier = (p - val[2]).pow(2).mean().item()
    print(f"epoch {epoch + 1:2d} loss {running:.4f} val loss {criterion(p, val[2]).item():.4f} F1 {f1:.3f} brier {brier:.4f}")
# cure: - criterion = nn.BCEWithLogitsLoss()
# cure: + criterion = nn.BCELoss()
