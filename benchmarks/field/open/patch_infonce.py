# expect: loss-sign-flipped
"""Contrastive pretraining: two noisy crops of the same signal should match."""
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(21)


def signals(n):
    f = torch.rand(n, 1) * 8 + 1
    ph = torch.rand(n, 1) * 6.28
    tri = torch.rand(n, 1)
    t = torch.linspace(0, 1, 48)
    w = torch.sin(6.28 * f * t + ph)
    return (1 - tri) * w + tri * torch.sign(w)


def augment(x):
    gain = 0.7 + 0.6 * torch.rand(len(x), 1)
    return gain * x + 0.2 * torch.randn_like(x)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Sequential(
            nn.Conv1d(1, 16, 5, padding=2), nn.ReLU(), nn.MaxPool1d(2),
            nn.Conv1d(16, 32, 5, padding=2), nn.ReLU(), nn.Flatten(),
            nn.Linear(32 * 24, 64), nn.ReLU(), nn.Linear(64, 32))

    def forward(self, x):
        return F.normalize(self.conv(x.unsqueeze(1)), dim=1)


def contrastive_loss(za, zb, tau=0.2):
    sim = za @ zb.t() / tau
    logp_ab = F.log_softmax(sim, dim=1).diagonal()
    logp_ba = F.log_softmax(sim, dim=0).diagonal()
    return (logp_ab + logp_ba).mean() / 2


data, held = signals(2000), signals(256)
net = Net()
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
for epoch in range(16):
    perm = torch.randperm(len(data))
    total = 0
    for i in range(0, len(data) - 127, 128):
        x = data[perm[i:i + 128]]
        loss = contrastive_loss(net(augment(x)), net(augment(x)))
        opt.zero_grad()
        loss.backward()
        opt.step()
        total += loss.item()
    with torch.no_grad():
        a, b = net(augment(held)), net(augment(held))
        top1 = ((a @ b.t()).argmax(1) == torch.arange(256)).float().mean().item()
    print(f"epoch {epoch}: loss {total/15:.3f}, retrieval@1 {top1:.3f}")
