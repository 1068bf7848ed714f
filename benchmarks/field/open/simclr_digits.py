# expect: healthy
# about: SimCLR on digit images; NT-Xent settles above 3 by design, the linear probe says whether it works
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression

torch.set_num_threads(1)
torch.manual_seed(1)
digits = load_digits()
images = torch.tensor(digits.images, dtype=torch.float32)[:, None] / 16
labels = digits.target


def augment(x):
    x = F.pad(x, (1, 1, 1, 1))
    i, j = torch.randint(0, 3, (2,)).tolist()
    x = x[:, :, i:i + 8, j:j + 8]
    x = x * (0.7 + 0.6 * torch.rand(len(x), 1, 1, 1))
    return x + 0.12 * torch.randn_like(x)


encoder = nn.Sequential(nn.Conv2d(1, 24, 3, padding=1), nn.BatchNorm2d(24), nn.ReLU(), nn.MaxPool2d(2),
                        nn.Conv2d(24, 48, 3, padding=1), nn.BatchNorm2d(48), nn.ReLU(), nn.Flatten(), nn.Linear(48 * 16, 64))
projector = nn.Sequential(nn.ReLU(), nn.Linear(64, 32))
params = list(encoder.parameters()) + list(projector.parameters())
opt = torch.optim.AdamW(params, lr=2e-3, weight_decay=1e-3)


def nt_xent(a, b, tau=0.3):
    z = F.normalize(torch.cat([a, b]), dim=1)
    sim = z @ z.T / tau
    sim.fill_diagonal_(float("-inf"))
    n = len(a)
    positive = torch.cat([torch.arange(n, 2 * n), torch.arange(n)])
    return F.cross_entropy(sim, positive)


for epoch in range(18):
    encoder.train(), projector.train()
    losses = []
    for idx in torch.randperm(len(images)).split(128):
        x = images[idx]
        loss = nt_xent(projector(encoder(augment(x))), projector(encoder(augment(x))))
        opt.zero_grad()
        loss.backward()
        opt.step()
        losses.append(loss.item())
    print(f"epoch {epoch} contrastive loss {sum(losses) / len(losses):.4f}")

encoder.eval()
with torch.no_grad():
    h = encoder(images).numpy()
probe = LogisticRegression(max_iter=500).fit(h[::2], labels[::2])
print("linear probe accuracy", probe.score(h[1::2], labels[1::2]))
