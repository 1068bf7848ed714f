# expect: healthy
# about: supervised contrastive embedding of digits with dimmed, speckled views, then a linear probe on the frozen encoder
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits

torch.manual_seed(17)
torch.set_num_threads(1)
digits = load_digits()
X = torch.tensor(digits.images, dtype=torch.float32).unsqueeze(1) / 16
Y = torch.tensor(digits.target)
order = torch.randperm(len(X))
tr, te = order[:1400], order[1400:]


def view(x):
    keep = (torch.rand_like(x) > 0.1).float()
    return x * keep * (0.8 + 0.4 * torch.rand(len(x), 1, 1, 1)) + 0.1 * torch.randn_like(x)


encoder = nn.Sequential(nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(), nn.Conv2d(16, 32, 3, padding=1, stride=2), nn.ReLU(), nn.Flatten(), nn.Linear(32 * 16, 64), nn.ReLU())
projector = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 32))


def supcon(z, labels, tau=0.1):
    z = F.normalize(z, dim=1)
    sim = z @ z.T / tau
    eye = torch.eye(len(z), dtype=torch.bool)
    positives = (labels[:, None] == labels[None]) & ~eye
    logp = sim - torch.logsumexp(sim.masked_fill(eye, -1e9), 1, keepdim=True)
    return -((logp * positives).sum(1) / positives.sum(1)).mean()


opt = torch.optim.Adam(list(encoder.parameters()) + list(projector.parameters()), lr=2e-3)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, 20)
for epoch in range(20):
    running = []
    for b in tr[torch.randperm(len(tr))].split(100):
        both = torch.cat([view(X[b]), view(X[b])])
        loss = supcon(projector(encoder(both)), Y[b].repeat(2))
        opt.zero_grad()
        loss.backward()
        opt.step()
        running.append(loss.item())
    sched.step()
    if epoch % 4 == 3:
        print(f"[contrast] epoch {epoch + 1} loss {sum(running) / len(running):.4f}")

encoder.requires_grad_(False)
encoder.eval()
with torch.no_grad():
    ftr, fte = encoder(X[tr]), encoder(X[te])
    ftr, fte = (ftr - ftr.mean(0)) / (ftr.std(0) + 1e-3), (fte - ftr.mean(0)) / (ftr.std(0) + 1e-3)
probe = nn.Linear(64, 10)
opt = torch.optim.Adam(probe.parameters(), lr=1e-2)
for epoch in range(20):
    for b in torch.randperm(len(ftr)).split(100):
        loss = F.cross_entropy(probe(ftr[b]), Y[tr][b])
        opt.zero_grad()
        loss.backward()
        opt.step()
    if epoch % 5 == 4:
        with torch.no_grad():
            acc = (probe(fte).argmax(1) == Y[te]).float().mean().item()
        print(f"[probe] epoch {epoch + 1} loss {loss.item():.4f} test acc {acc:.4f}")
