# expect: healthy
# about: bfloat16 autocast on the CPU around forward and loss
import torch
import torch.nn as nn
from sklearn.datasets import load_digits

torch.manual_seed(55)
torch.set_num_threads(1)
d = load_digits()
x = torch.tensor(d.images).float()[:, None] / 16
y = torch.tensor(d.target)
perm = torch.randperm(len(x))
tr, va = perm[:1400], perm[1400:]
model = nn.Sequential(nn.Conv2d(1, 16, 3), nn.ReLU(), nn.Conv2d(16, 24, 3), nn.ReLU(), nn.Flatten(), nn.Linear(24 * 16, 10))
opt = torch.optim.Adam(model.parameters(), lr=2e-3)
for epoch in range(14):
    model.train()
    for b in tr[torch.randperm(len(tr))].split(64):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            loss = nn.functional.cross_entropy(model(x[b]), y[b])
        opt.zero_grad()
        loss.backward()
        opt.step()
    model.eval()
    with torch.no_grad(), torch.autocast("cpu", dtype=torch.bfloat16):
        out = model(x[va]).float()
    print(f"epoch {epoch} loss {loss.item():.4f} val {nn.functional.cross_entropy(out, y[va]).item():.4f} acc {(out.argmax(1) == y[va]).float().mean():.3f}")
