# expect: healthy
# about: attention pooling over bags of cells, one bag per step, only the bag label is known; single-bag losses jump between 0.01 and 3
import torch
from torch import nn
from sklearn.metrics import roc_auc_score

torch.set_num_threads(1)
torch.manual_seed(63)
proto = torch.randn(5, 16)
sick = torch.randn(16) * 0.8


def bag():
    n = int(torch.randint(8, 30, ()))
    x = proto[torch.randint(0, 5, (n,))] + 0.9 * torch.randn(n, 16)
    label = float(torch.rand(()) < 0.5)
    mark = torch.zeros(n)
    if label:
        k = int(torch.randint(1, 4, ()))
        x[:k] = sick + 0.9 * torch.randn(k, 16)
        mark[:k] = 1
    return x, torch.tensor(label), mark


class AttentionMIL(nn.Module):
    def __init__(self):
        super().__init__()
        self.f = nn.Sequential(nn.Linear(16, 32), nn.ReLU())
        self.v, self.u, self.w = nn.Linear(32, 16), nn.Linear(32, 16), nn.Linear(16, 1)
        self.cls = nn.Linear(32, 1)

    def forward(self, x):
        h = self.f(x)
        a = self.w(torch.tanh(self.v(h)) * torch.sigmoid(self.u(h))).softmax(0)
        return self.cls((a * h).sum(0)).squeeze(0), a.squeeze(1)


train, test = [bag() for _ in range(500)], [bag() for _ in range(300)]
net = AttentionMIL()
opt = torch.optim.Adam(net.parameters(), lr=1e-3, weight_decay=1e-4)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, 5)
bce = nn.BCEWithLogitsLoss()
for epoch in range(5):
    run = 0.0
    for i in torch.randperm(len(train)).tolist():
        x, y, _ = train[i]
        loss = bce(net(x)[0], y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        run += loss.item() / len(train)
    sched.step()
    with torch.no_grad():
        out = [net(x) for x, _, _ in test]
    ys = [y.item() for _, y, _ in test]
    auc = roc_auc_score(ys, [o.item() for o, _ in out])
    found = sum(m[a.argmax()].item() for (_, a), (_, y, m) in zip(out, test) if y > 0) / sum(ys)
    print(f"epoch {epoch} loss {run:.4f} bag AUC {auc:.4f} acc {sum((o.item() > 0) == (y > 0.5) for (o, _), y in zip(out, ys)) / 300:.4f} attention on a sick cell {found:.3f}")
