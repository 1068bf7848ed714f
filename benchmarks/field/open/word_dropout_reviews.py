# expect: over-regularized
# about: sentiment-like bag model with word dropout, embedding dropout and hidden dropout of 0.8
import torch
from torch import nn

torch.manual_seed(21)
torch.set_num_threads(1)
V, D = 200, 32
polarity = torch.randn(V)


def docs(n, length=15):
    w = torch.randint(1, V, (n, length))
    return w, (polarity[w].sum(1) > 0).long()


class BagModel(nn.Module):
    def __init__(self, drop):
        super().__init__()
        self.emb = nn.EmbeddingBag(V, D, mode="mean", padding_idx=0)
        self.drop = nn.Dropout(drop)
        self.h = nn.Linear(D, D)
        self.word_drop = drop
        self.out = nn.Linear(D, 2)

    def forward(self, w):
        if self.training:
            w = w * (torch.rand(w.shape) >= self.word_drop)
        return self.out(self.drop(torch.relu(self.h(self.drop(self.emb(w))))))


model = BagModel(drop=0.85)
opt = torch.optim.Adam(model.parameters(), lr=3e-3)
tw, ty = docs(3000)
vw, vy = docs(600)
for ep in range(10):
    model.train()
    run = 0.0
    for k in torch.randperm(3000).split(60):
        opt.zero_grad()
        loss = nn.functional.cross_entropy(model(tw[k]), ty[k])
        loss.backward()
        opt.step()
        run += loss.item() / 50
    model.eval()
    with torch.no_grad():
        o = model(vw)
    print(f"ep {ep} train {run:.4f} val {nn.functional.cross_entropy(o, vy):.4f} acc {(o.argmax(1) == vy).float().mean():.3f}")
# cure: - model = BagModel(drop=0.85)
# cure: + model = BagModel(drop=0.1)
