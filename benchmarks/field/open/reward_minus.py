# expect: loss-sign-flipped
# about: InfoNCE written by hand returns the mean log-probability itself and is minimised
import torch
import torch.nn.functional as F
from sklearn.datasets import load_digits
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
d = load_digits()
X, y = torch.tensor(d.data).float() / 16, torch.tensor(d.target)
net = nn.Sequential(nn.Linear(64, 96), nn.ReLU(), nn.Linear(96, 24))
opt = torch.optim.Adam(net.parameters(), lr=1e-3)


def view(x):
    return x + 0.15 * torch.randn_like(x)


def info_nce(a, b, tau=0.2):
    sim = F.normalize(a, dim=1) @ F.normalize(b, dim=1).T / tau
    logp = F.log_softmax(sim, dim=1)
    return logp.diagonal().mean()


for epoch in range(8):
    for i in torch.randperm(1400).split(56):
        loss = info_nce(net(view(X[i])), net(view(X[i])))
        opt.zero_grad()
        loss.backward()
        opt.step()
    with torch.no_grad():
        z = F.normalize(net(X), dim=1)
        nn1 = (z[1400:] @ z[:1400].T).argmax(1)
    print(f"epoch {epoch} loss {loss.item():.4f} 1-NN accuracy {(y[nn1] == y[1400:]).float().mean().item():.3f}")
# cure: - return logp.diagonal().mean()
# cure: + return -logp.diagonal().mean()
