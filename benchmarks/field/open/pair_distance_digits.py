# expect: wrong-loss
# about: metric learning: own contrastive loss averages distances of all pairs, so the embedding collapses
import torch
import torch.nn.functional as F
from sklearn.datasets import load_digits
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
X, y = load_digits(return_X_y=True)
X, y = torch.tensor(X).float() / 16, torch.tensor(y)
net = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 8))
opt = torch.optim.Adam(net.parameters(), lr=1e-3)


def pair_loss(z, labels, margin=2.0):
    d = torch.cdist(z, z) + 1e-6
    same = labels[:, None] == labels[None, :]
    pull = d**2
    push = F.relu(margin - d) ** 2
    return torch.where(same, pull, pull).mean()


def knn_accuracy():
    with torch.no_grad():
        z = net(X)
        near = torch.cdist(z[1400:], z[:1400]).argmin(1)
        spread = z.std(0).mean().item()
    return (y[near] == y[1400:]).float().mean().item(), spread


for epoch in range(12):
    for b in torch.randperm(1400).split(56):
        opt.zero_grad()
        loss = pair_loss(net(X[b]), y[b])
        loss.backward()
        opt.step()
    acc, spread = knn_accuracy()
    print(f"epoch {epoch} loss {loss.item():.5f} 1-NN accuracy {acc:.3f} spread {spread:.4f}")
# cure: - return torch.where(same, pull, pull).mean()
# cure: + return torch.where(same, pull, push).mean()
