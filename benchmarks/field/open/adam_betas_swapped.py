# expect: optimizer-misconfigured
# about: Adam with its two betas swapped (0.999 first, 0.9 second)
import torch
from sklearn.datasets import load_digits
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
X, y = load_digits(return_X_y=True)
X, y = torch.tensor(X).float() / 16, torch.tensor(y)
net = nn.Sequential(nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 10))
opt = torch.optim.Adam(net.parameters(), lr=1e-2, betas=(0.999, 0.9))
for epoch in range(12):
    tot = 0.0
    for b in torch.randperm(1400).split(50):
        loss = nn.functional.cross_entropy(net(X[b]), y[b])
        opt.zero_grad()
        loss.backward()
        opt.step()
        tot += loss.item() / 28
    with torch.no_grad():
        o = net(X[1400:])
    print(f"epoch {epoch} train {tot:.4f} val {nn.functional.cross_entropy(o, y[1400:]).item():.4f} acc {(o.argmax(1) == y[1400:]).float().mean().item():.3f}")
# cure: - opt = torch.optim.Adam(net.parameters(), lr=1e-2, betas=(0.999, 0.9))
# cure: + opt = torch.optim.Adam(net.parameters(), lr=1e-2, betas=(0.9, 0.999))
