# expect: detached-graph
# about: autoencoder that quantises its code by rounding: no gradient reaches the encoder
import torch
from sklearn.datasets import load_digits
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
X = torch.tensor(load_digits().data).float() / 16
enc = nn.Sequential(nn.Linear(64, 48), nn.ReLU(), nn.Linear(48, 12), nn.Sigmoid())
dec = nn.Sequential(nn.Linear(12, 48), nn.ReLU(), nn.Linear(48, 64))
opt = torch.optim.Adam([*enc.parameters(), *dec.parameters()], lr=2e-3)


def quantise(z, levels=4):
    q = torch.round(z * (levels - 1)) / (levels - 1)
    return q


for epoch in range(20):
    for b in torch.randperm(1500).split(50):
        rec = dec(quantise(enc(X[b])))
        loss = nn.functional.mse_loss(rec, X[b])
        opt.zero_grad()
        loss.backward()
        opt.step()
    if epoch % 2:
        with torch.no_grad():
            v = nn.functional.mse_loss(dec(quantise(enc(X[1500:]))), X[1500:]).item()
        print(f"epoch {epoch} train {loss.item():.5f} val {v:.5f}")
# cure: - return q
# cure: + return z + (q - z).detach()
