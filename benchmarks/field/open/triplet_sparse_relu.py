# expect: healthy
# about: triplet loss with in-batch mining; ReLUs mostly off, loss flattens as few triplets stay active
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits

torch.manual_seed(0)
torch.set_num_threads(1)
X, y = load_digits(return_X_y=True)
X, y = torch.tensor(X).float() / 16, torch.tensor(y)
tr, te = slice(0, 1300), slice(1300, None)


class Embedder(nn.Module):
    def __init__(self):
        super().__init__()
        self.f1, self.f2, self.f3 = nn.Linear(64, 256), nn.Linear(256, 128), nn.Linear(128, 16)

    def forward(self, x):
        return F.normalize(self.f3(F.relu(self.f2(F.relu(self.f1(x))))), dim=1)


def batch_hard(e, y, margin=0.3):
    d = torch.cdist(e, e)
    same = y[:, None] == y[None]
    pos = d.masked_fill(~same, -1).amax(1)
    neg = d.masked_fill(same, 9).amin(1)
    return F.relu(pos - neg + margin).mean()


net = Embedder()
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
for epoch in range(30):
    tot, k = 0.0, 0
    net.train()
    for b in torch.randperm(1300).split(64):
        loss = batch_hard(net(X[tr][b]), y[tr][b])
        opt.zero_grad()
        loss.backward()
        opt.step()
        tot, k = tot + loss.item(), k + 1
    if epoch % 5 == 4:
        net.eval()
        with torch.no_grad():
            nearest = torch.cdist(net(X[te]), net(X[tr])).argmin(1)
        print(f"epoch {epoch + 1} triplet {tot / k:.4f} 1-NN acc {(y[tr][nearest] == y[te]).float().mean():.4f}")
