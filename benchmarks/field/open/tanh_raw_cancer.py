# expect: unscaled-inputs
# about: raw breast-cancer features (up to 4000) saturate tanh units
# also: saturated-activations
import torch
from torch import nn, optim
from sklearn.datasets import load_breast_cancer

torch.manual_seed(2)
torch.set_num_threads(1)
raw = load_breast_cancer()
X = torch.tensor(raw.data, dtype=torch.float32)
Y = torch.tensor(raw.target)
shuffle = torch.randperm(len(X))
X, Y = X[shuffle], Y[shuffle]
stats = (torch.zeros(30), torch.ones(30))
X = (X - stats[0]) / stats[1]


class TwoLayer(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden = nn.Linear(30, 40)
        self.act = nn.Tanh()
        self.hidden2 = nn.Linear(40, 20)
        self.act2 = nn.Tanh()
        self.top = nn.Linear(20, 2)

    def forward(self, x):
        return self.top(self.act2(self.hidden2(self.act(self.hidden(x)))))


net = TwoLayer()
adam = optim.Adam(net.parameters(), lr=1e-3)
for epoch in range(25):
    for i in range(0, 450, 25):
        out = net(X[i : i + 25])
        loss = nn.functional.cross_entropy(out, Y[i : i + 25])
        adam.zero_grad()
        loss.backward()
        adam.step()
    with torch.no_grad():
        tr, te = net(X[:450]), net(X[450:])
    if epoch % 3 == 0:
        print(f"epoch {epoch} train {nn.functional.cross_entropy(tr, Y[:450]).item():.4f} test {nn.functional.cross_entropy(te, Y[450:]).item():.4f} acc {(te.argmax(1) == Y[450:]).float().mean():.3f}")
# cure: - stats = (torch.zeros(30), torch.ones(30))
# cure: + stats = (X[:450].mean(0), X[:450].std(0))
