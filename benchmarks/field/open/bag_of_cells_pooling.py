# expect: softmax-wrong-axis
# about: multiple-instance learning: bags of cells with attention pooling
import torch
import torch.nn as nn

torch.manual_seed(29)
torch.set_num_threads(1)
INST, FEAT = 20, 10


def bags(n):
    x = torch.randn(n, INST, FEAT)
    y = torch.randint(0, 2, (n,))
    which = torch.randint(0, INST, (n,))
    key = torch.zeros(FEAT)
    key[:4] = 2.2
    x[torch.arange(n), which] = torch.where(y[:, None] == 1, key + 0.4 * torch.randn(n, FEAT), x[torch.arange(n), which])
    return x, y.float()


class AttentionMIL(nn.Module):
    def __init__(self, h=32):
        super().__init__()
        self.embed = nn.Sequential(nn.Linear(FEAT, h), nn.ReLU())
        self.score = nn.Sequential(nn.Linear(h, 16), nn.Tanh(), nn.Linear(16, 1))
        self.cls = nn.Linear(h, 1)

    def forward(self, bag):
        h = self.embed(bag)
        a = torch.softmax(self.score(h), dim=0)
        return self.cls((a * h).sum(1)).squeeze(1)


mil = AttentionMIL()
opt = torch.optim.Adam(mil.parameters(), lr=2e-3)
bce = nn.BCEWithLogitsLoss()
xt, yt = bags(800)
xv, yv = bags(400)
for epoch in range(16):
    tot = 0.0
    for b in torch.randperm(800).split(32):
        opt.zero_grad()
        loss = bce(mil(xt[b]), yt[b])
        loss.backward()
        opt.step()
        tot += loss.item()
    with torch.no_grad():
        v = torch.cat([mil(bag.unsqueeze(0)) for bag in xv])
    if epoch % 2:
        print(f"epoch {epoch + 1} train {tot / 25:.3f} val {bce(v, yv):.3f} acc {((v > 0) == yv.bool()).float().mean():.3f}")
# cure: - a = torch.softmax(self.score(h), dim=0)
# cure: + a = torch.softmax(self.score(h), dim=1)
