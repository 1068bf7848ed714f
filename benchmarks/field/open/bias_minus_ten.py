# expect: dead-relus
# about: a "sparsity" bias of -6 on the hidden layers kills nearly all ReLUs
import torch
import torch.nn as nn
from sklearn.datasets import load_digits

torch.manual_seed(1)
torch.set_num_threads(1)


class SparseMLP(nn.Module):
    def __init__(self, bias):
        super().__init__()
        self.l1, self.l2, self.l3 = nn.Linear(64, 128), nn.Linear(128, 64), nn.Linear(64, 10)
        self.r1, self.r2 = nn.ReLU(), nn.ReLU()
        nn.init.constant_(self.l1.bias, bias)
        nn.init.constant_(self.l2.bias, bias)

    def forward(self, x):
        return self.l3(self.r2(self.l2(self.r1(self.l1(x)))))


d = load_digits()
X, y = torch.tensor((d.data - d.data.mean()) / d.data.std()).float(), torch.tensor(d.target)
p = torch.randperm(len(X))
tr, va = p[:1400], p[1400:]
model = SparseMLP(bias=-6.0)
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
for epoch in range(12):
    model.train()
    for b in tr[torch.randperm(1400)].split(32):
        loss = nn.functional.cross_entropy(model(X[b]), y[b])
        opt.zero_grad()
        loss.backward()
        opt.step()
    model.eval()
    with torch.no_grad():
        o = model(X[va])
    print(f"epoch {epoch}: {loss.item():.4f} val {nn.functional.cross_entropy(o, y[va]).item():.4f} acc {(o.argmax(1) == y[va]).float().mean():.3f}")
# cure: - model = SparseMLP(bias=-6.0)
# cure: + model = SparseMLP(bias=0.0)
