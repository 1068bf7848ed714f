# expect: train-mode-missing
# about: model.eval() after the first validation, never back to train(): dropout gone, the small set is memorised
# also: overfitting
import torch
from torch import nn

torch.manual_seed(4)
torch.set_num_threads(1)
W = torch.randn(60, 3) * 0.35
X = torch.randn(1150, 60)
y = (X @ W + 1.0 * torch.randn(1150, 3)).argmax(1)
Xt, yt, Xv, yv = X[:150], y[:150], X[150:], y[150:]
model = nn.Sequential(nn.Linear(60, 256), nn.ReLU(), nn.Dropout(0.7), nn.Linear(256, 256), nn.ReLU(), nn.Dropout(0.7), nn.Linear(256, 3))
opt = torch.optim.AdamW(model.parameters(), lr=3e-4, weight_decay=0.01)


def run_epoch():
    total = 0
    for b in torch.randperm(150).split(15):
        loss = nn.functional.cross_entropy(model(Xt[b]), yt[b])
        opt.zero_grad()
        loss.backward()
        opt.step()
        total += loss.item() / 10
    return total


def validate():
    model.eval()
    with torch.no_grad():
        o = model(Xv)
        return nn.functional.cross_entropy(o, yv).item(), (o.argmax(1) == yv).float().mean().item()


model.train()
for epoch in range(40):
    tl = run_epoch()
    vl, va = validate()
    if epoch % 4 == 3:
        print(f"{epoch + 1} train {tl:.4f} val {vl:.4f} acc {va:.3f}")
# cure: - total = 0
# cure: + model.train()
# cure: + total = 0
