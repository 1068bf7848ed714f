# expect: train-mode-missing
# also: unscaled-inputs
# about: a logging callback puts the model in eval mode before each epoch's training; BatchNorm sees no batch statistics
import torch
from sklearn.datasets import load_wine
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
X, y = load_wine(return_X_y=True)
X, y = torch.tensor(X).float(), torch.tensor(y)
perm = torch.randperm(178)
tr, va = perm[:130], perm[130:]
model = nn.Sequential(nn.BatchNorm1d(13), nn.Linear(13, 32), nn.ReLU(), nn.Linear(32, 3))


class PrintWeights:
    def before_epoch(self, model):
        self.net = model.eval()
        self.norm = sum(p.pow(2).sum().item() for p in model.parameters())


callbacks = [PrintWeights()]
opt = torch.optim.SGD(model.parameters(), lr=0.02)
for epoch in range(30):
    model.train()
    for cb in callbacks:
        cb.before_epoch(model)
    for b in tr[torch.randperm(130)].split(13):
        loss = nn.functional.cross_entropy(model(X[b]), y[b])
        opt.zero_grad()
        loss.backward()
        opt.step()
    model.eval()
    with torch.no_grad():
        o = model(X[va])
    if epoch % 3 == 2:
        print(f"epoch {epoch + 1} loss {loss.item():.4f} val {nn.functional.cross_entropy(o, y[va]).item():.4f} acc {(o.argmax(1) == y[va]).float().mean().item():.3f} |w|2 {callbacks[0].norm:.1f}")
# cure: - self.net = model.eval()
# cure: + self.net = model
