# expect: saturated-activations
# also: init-too-large, vanishing-gradients
# about: a steepness of 200 inside a sigmoid feature layer drives its units to their limits
import torch
import torch.nn as nn
from sklearn.datasets import load_digits

torch.manual_seed(0)
torch.set_num_threads(1)


class SharpLayer(nn.Module):
    """Linear layer with steep sigmoids, meant to give nearly binary codes."""

    def __init__(self, n_in, n_out, steepness):
        super().__init__()
        self.lin = nn.Linear(n_in, n_out)
        self.act = nn.Sigmoid()
        self.steepness = steepness

    def forward(self, x):
        return self.act(self.steepness * self.lin(x))


STEEP = 200.0
d = load_digits()
X, y = torch.tensor(d.data).float() / 16 - 0.3, torch.tensor(d.target)
p = torch.randperm(len(X))
tr, va = p[:1400], p[1400:]
model = nn.Sequential(SharpLayer(64, 24, STEEP), SharpLayer(24, 24, STEEP), SharpLayer(24, 24, STEEP), nn.Linear(24, 10))
opt = torch.optim.Adam(model.parameters(), lr=3e-3)
for epoch in range(20):
    model.train()
    for b in tr[torch.randperm(1400)].split(32):
        loss = nn.functional.cross_entropy(model(X[b]), y[b])
        opt.zero_grad()
        loss.backward()
        opt.step()
    model.eval()
    with torch.no_grad():
        o = model(X[va])
    print(f"epoch {epoch} loss {loss.item():.4f} val {nn.functional.cross_entropy(o, y[va]).item():.4f} acc {(o.argmax(1) == y[va]).float().mean():.3f}")
# cure: - STEEP = 200.0
# cure: + STEEP = 4.0
