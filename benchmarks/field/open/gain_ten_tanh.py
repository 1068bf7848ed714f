# expect: init-too-large
# also: saturated-activations
# about: weights drawn from N(0, 1) whatever the fan-in: first loss far above chance
import torch
from torch import nn
from sklearn.datasets import load_digits

torch.manual_seed(0)
torch.set_num_threads(1)


def init_weights(m):
    if isinstance(m, nn.Linear):
        nn.init.normal_(m.weight, mean=0.0, std=1.0)
        nn.init.zeros_(m.bias)


d = load_digits()
X, y = torch.tensor(d.data).float() / 8 - 0.6, torch.tensor(d.target)
p = torch.randperm(len(X))
Xt, yt, Xv, yv = X[p[:1400]], y[p[:1400]], X[p[1400:]], y[p[1400:]]
model = nn.Sequential(nn.Linear(64, 128), nn.Tanh(), nn.Linear(128, 128), nn.Tanh(), nn.Linear(128, 10))
model.apply(init_weights)
opt = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
for epoch in range(12):
    tot = 0
    for b in torch.randperm(1400).split(28):
        opt.zero_grad()
        loss = nn.functional.cross_entropy(model(Xt[b]), yt[b])
        loss.backward()
        opt.step()
        tot += loss.item() / 50
    with torch.no_grad():
        o = model(Xv)
    print(f"epoch {epoch} train {tot:.4f} val {nn.functional.cross_entropy(o, yv).item():.4f} acc {(o.argmax(1) == yv).float().mean().item():.3f}")
# cure: - model.apply(init_weights)
# cure: + pass
