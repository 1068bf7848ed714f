# expect: unscaled-accumulation
# about: 16 micro-batches summed without dividing the loss; the effective rate is 16 times as large
# also: lr-too-high
import torch
import torch.nn as nn
from sklearn.datasets import load_digits

torch.manual_seed(0)
torch.set_num_threads(1)
ACCUM, MICRO = 16, 4
d = load_digits()
X, y = torch.tensor(d.images).float()[:, None] / 16, torch.tensor(d.target)
p = torch.randperm(len(X))
tr, va = p[:1408], p[1408:]
model = nn.Sequential(nn.Conv2d(1, 16, 3), nn.ReLU(), nn.Flatten(), nn.Linear(16 * 36, 64), nn.ReLU(), nn.Linear(64, 10))
opt = torch.optim.SGD(model.parameters(), lr=0.15, momentum=0.9)
for epoch in range(10):
    model.train()
    opt.zero_grad()
    running = 0.0
    for i, b in enumerate(tr[torch.randperm(len(tr))].split(MICRO)):
        loss = nn.functional.cross_entropy(model(X[b]), y[b])
        loss.backward()
        running += loss.item()
        if (i + 1) % ACCUM == 0:
            opt.step()
            opt.zero_grad()
    model.eval()
    with torch.no_grad():
        o = model(X[va])
    print(f"epoch {epoch} train {running / (i + 1):.4f} val {nn.functional.cross_entropy(o, y[va]).item():.4f} acc {(o.argmax(1) == y[va]).float().mean():.3f}")
# cure: - loss.backward()
# cure: + (loss / ACCUM).backward()
