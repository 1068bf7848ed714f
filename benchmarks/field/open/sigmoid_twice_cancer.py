# expect: double-softmax
# about: sigmoid output given to BCEWithLogitsLoss
import torch
from torch import nn
from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import StandardScaler

torch.manual_seed(0)
torch.set_num_threads(1)
data = load_breast_cancer()
features = torch.tensor(StandardScaler().fit_transform(data.data), dtype=torch.float32)
targets = torch.tensor(data.target, dtype=torch.float32)
order = torch.randperm(len(features))
tr, va = order[:430], order[430:]


class BinaryClassifier(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(n, 32), nn.ReLU(), nn.Linear(32, 16), nn.ReLU(), nn.Linear(16, 1))

    def forward(self, x):
        return torch.sigmoid(self.layers(x)).flatten()


model = BinaryClassifier(30)
loss_fn = nn.BCEWithLogitsLoss()
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
for epoch in range(30):
    model.train()
    for b in tr[torch.randperm(len(tr))].split(16):
        out = model(features[b])
        loss = loss_fn(out, targets[b])
        opt.zero_grad()
        loss.backward()
        opt.step()
    model.eval()
    with torch.no_grad():
        o = model(features[va])
        print(f"{epoch:2d} train {loss_fn(model(features[tr]), targets[tr]):.4f} val {loss_fn(o, targets[va]):.4f}")
# cure: - return torch.sigmoid(self.layers(x)).flatten()
# cure: + return self.layers(x).flatten()
