# expect: model-too-small
# about: digits autoencoder whose code has a single number
import torch
from sklearn.datasets import load_digits
from torch import nn
from torch.utils.data import DataLoader

torch.manual_seed(0)
torch.set_num_threads(1)
X = torch.tensor(load_digits().data, dtype=torch.float32) / 16
X = X[torch.randperm(len(X))]
train_loader = DataLoader(X[:1500], batch_size=50, shuffle=True)
code = 1
enc = nn.Sequential(nn.Linear(64, 48), nn.ELU(), nn.Linear(48, code))
dec = nn.Sequential(nn.Linear(code, 48), nn.ELU(), nn.Linear(48, 64), nn.Sigmoid())
params = list(enc.parameters()) + list(dec.parameters())
opt = torch.optim.Adam(params, lr=3e-3)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=30)
for epoch in range(30):
    losses = []
    for xb in train_loader:
        opt.zero_grad()
        loss = nn.functional.binary_cross_entropy(dec(enc(xb)), xb)
        loss.backward()
        opt.step()
        losses.append(loss.item())
    sched.step()
    with torch.no_grad():
        rec = dec(enc(X[1500:]))
        val = nn.functional.binary_cross_entropy(rec, X[1500:]).item()
        r2 = 1 - ((rec - X[1500:]) ** 2).mean() / ((X[1500:] - X[:1500].mean(0)) ** 2).mean()
    if epoch % 3 == 2:
        print(f"epoch {epoch + 1} train {sum(losses) / len(losses):.4f} val {val:.4f} explained variance {r2.item():.3f}")
# cure: - code = 1
# cure: + code = 16
