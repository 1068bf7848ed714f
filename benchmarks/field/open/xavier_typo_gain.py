# expect: init-too-large
# about: transformer-free deep MLP initialised by normal_(0, 0.5) for 96-wide leaky ReLU layers
import torch
from sklearn.datasets import load_digits
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
X, y = load_digits(return_X_y=True)
X, y = torch.tensor(X).float() / 8 - 0.6, torch.tensor(y)


class DeepMLP(nn.Module):
    def __init__(self, width=96, depth=5):
        super().__init__()
        dims = [64] + [width] * depth
        self.hidden = nn.ModuleList(nn.Linear(a, b) for a, b in zip(dims, dims[1:]))
        self.out = nn.Linear(width, 10)
        for layer in [*self.hidden, self.out]:
            nn.init.normal_(layer.weight, 0, 0.5)

    def forward(self, x):
        for layer in self.hidden:
            x = nn.functional.leaky_relu(layer(x), 0.05)
        return self.out(x)


model = DeepMLP()
opt = torch.optim.Adam(model.parameters(), lr=5e-4)
for epoch in range(12):
    tot = 0
    for b in torch.randperm(1400).split(50):
        loss = nn.functional.cross_entropy(model(X[b]), y[b])
        opt.zero_grad()
        loss.backward()
        opt.step()
        tot += loss.item() / 28
    with torch.no_grad():
        o = model(X[1400:])
        print(f"epoch {epoch} train {tot:.3f} val {nn.functional.cross_entropy(o, y[1400:]).item():.3f} acc {(o.argmax(1) == y[1400:]).float().mean().item():.3f}")
# cure: - nn.init.normal_(layer.weight, 0, 0.5)
# cure: + nn.init.kaiming_normal_(layer.weight)
