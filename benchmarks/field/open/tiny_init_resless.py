# expect: init-too-small
# about: all weights from N(0, 0.001) in a six-layer ReLU net: nothing gets through
# also: vanishing-gradients
import torch
import torch.nn as nn
from sklearn.datasets import load_wine
from sklearn.preprocessing import StandardScaler

torch.manual_seed(1)
torch.set_num_threads(1)


class Net(nn.Module):
    def __init__(self, std=1e-3):
        super().__init__()
        dims = [13, 32, 32, 32, 32, 3]
        self.layers = nn.ModuleList(nn.Linear(a, b) for a, b in zip(dims, dims[1:]))
        for l in self.layers:
            nn.init.normal_(l.weight, 0, std if std else (2 / l.in_features) ** 0.5)
            nn.init.zeros_(l.bias)

    def forward(self, x):
        for l in self.layers[:-1]:
            x = torch.relu(l(x))
        return self.layers[-1](x)


X, y = load_wine(return_X_y=True)
X, y = torch.tensor(StandardScaler().fit_transform(X)).float(), torch.tensor(y)
p = torch.randperm(len(X))
tr, va = p[:130], p[130:]
net = Net()
opt = torch.optim.SGD(net.parameters(), lr=0.01, momentum=0.9)
for epoch in range(30):
    for b in tr[torch.randperm(130)].split(13):
        loss = nn.functional.cross_entropy(net(X[b]), y[b])
        opt.zero_grad()
        loss.backward()
        opt.step()
    if epoch % 3 == 2:
        with torch.no_grad():
            o = net(X[va])
        print(epoch + 1, "loss", round(loss.item(), 4), "val", round(nn.functional.cross_entropy(o, y[va]).item(), 4), "acc", round((o.argmax(1) == y[va]).float().mean().item(), 3))
# cure: - net = Net()
# cure: + net = Net(std=None)
