# expect: output-range-mismatch
# about: ReLU left after the last layer of a regression with standardised (signed) targets
import torch
import torch.nn as nn
from sklearn.datasets import load_diabetes
from sklearn.preprocessing import StandardScaler

torch.manual_seed(0)
torch.set_num_threads(1)
X, y = load_diabetes(return_X_y=True)
X = StandardScaler().fit_transform(X)
y = StandardScaler().fit_transform(y[:, None])
X, y = torch.tensor(X, dtype=torch.float), torch.tensor(y, dtype=torch.float)
X_train, y_train, X_val, y_val = X[:340], y[:340], X[340:], y[340:]


class MLP(nn.Module):
    def __init__(self, sizes):
        super().__init__()
        layers = []
        for a, b in zip(sizes[:-1], sizes[1:]):
            layers += [nn.Linear(a, b), nn.ReLU()]
        self.net = nn.Sequential(*layers)

    def forward(self, x):
        return self.net(x)


model = MLP([10, 24, 1])
opt = torch.optim.Adam(model.parameters(), lr=1e-3, weight_decay=1e-3)
loss_fn = nn.MSELoss()
for epoch in range(40):
    model.train()
    for idx in torch.randperm(340).split(20):
        opt.zero_grad()
        loss = loss_fn(model(X_train[idx]), y_train[idx])
        loss.backward()
        opt.step()
    model.eval()
    with torch.no_grad():
        if epoch % 5 == 4:
            print(epoch, loss_fn(model(X_train), y_train).item(), loss_fn(model(X_val), y_val).item())
# cure: - self.net = nn.Sequential(*layers)
# cure: + self.net = nn.Sequential(*layers[:-1])
