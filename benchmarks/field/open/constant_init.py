# expect: symmetric-init
# about: every weight set to 0.05 "for reproducibility": all hidden units stay equal
import torch
import torch.nn as nn
from sklearn.datasets import load_digits

torch.manual_seed(0)
torch.set_num_threads(1)
d = load_digits()
X, y = torch.tensor(d.data).float() / 16, torch.tensor(d.target)
p = torch.randperm(len(X))
tr, va = p[:1400], p[1400:]
model = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 10))
for layer in (model[0], model[2]):
    nn.init.zeros_(layer.bias)
    nn.init.constant_(layer.weight, 0.05)
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for epoch in range(15):
    for b in tr[torch.randperm(1400)].split(32):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(X[b]), y[b])
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        o = model(X[va])
    print(f"epoch {epoch} {loss.item():.4f} val {nn.functional.cross_entropy(o, y[va]).item():.4f} acc {(o.argmax(1) == y[va]).float().mean().item():.3f}")
# cure: - nn.init.constant_(layer.weight, 0.05)
# cure: + nn.init.xavier_uniform_(layer.weight)
