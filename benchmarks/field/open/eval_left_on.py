# expect: train-mode-missing
# about: a baseline validation before the first epoch leaves the model in eval(): BatchNorm never uses batch statistics
# also: vanishing-gradients, lr-too-high
import torch
from torch import nn
from sklearn.datasets import load_digits

torch.manual_seed(4)
torch.set_num_threads(1)
d = load_digits()
X, y = torch.tensor(d.data).float() / 16, torch.tensor(d.target)
p = torch.randperm(len(X))
Xt, yt, Xv, yv = X[p[:1400]], y[p[:1400]], X[p[1400:]], y[p[1400:]]


def block(i, o):
    return nn.Sequential(nn.Linear(i, o, bias=False), nn.BatchNorm1d(o), nn.ReLU())


model = nn.Sequential(block(64, 48), *[block(48, 48) for _ in range(6)], nn.Linear(48, 10))
opt = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9, weight_decay=1e-4)


def run_epoch():
    total = 0
    for b in torch.randperm(1400).split(35):
        loss = nn.functional.cross_entropy(model(Xt[b]), yt[b])
        opt.zero_grad()
        loss.backward()
        opt.step()
        total += loss.item() / 40
    return total


def validate():
    model.eval()
    with torch.no_grad():
        o = model(Xv)
        return nn.functional.cross_entropy(o, yv).item(), (o.argmax(1) == yv).float().mean().item()


print("baseline", validate())
for epoch in range(10):
    tl = run_epoch()
    vl, va = validate()
    print(f"{epoch + 1} train {tl:.4f} val {vl:.4f} acc {va:.3f}")
# cure: - total = 0
# cure: + model.train()
# cure: + total = 0
