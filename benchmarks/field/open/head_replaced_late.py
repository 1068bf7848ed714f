# expect: params-not-in-optimizer
# about: fine-tuning: the head is replaced after the optimizer was made
import torch
import torch.nn as nn
from sklearn.datasets import load_digits

torch.manual_seed(3)
torch.set_num_threads(1)
d = load_digits()
X, y = torch.tensor(d.data).float() / 16, torch.tensor(d.target)


class Model(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(64, 32), nn.ReLU())
        self.head = nn.Linear(32, classes)

    def forward(self, x):
        return self.head(self.encoder(x))


def loop(model, opt, target, epochs, tag):
    for e in range(epochs):
        for b in torch.randperm(1400).split(35):
            opt.zero_grad()
            loss = nn.functional.cross_entropy(model(X[:1400][b]), target[:1400][b])
            loss.backward()
            opt.step()
        with torch.no_grad():
            o = model(X[1400:])
        print(tag, e, round(loss.item(), 4), "val", round(nn.functional.cross_entropy(o, target[1400:]).item(), 4), "acc", round((o.argmax(1) == target[1400:]).float().mean().item(), 4))


model = Model(2)
loop(model, torch.optim.Adam(model.parameters(), lr=1e-3), y % 2, 2, "parity")
optimizer = torch.optim.Adam([{"params": model.encoder.parameters(), "lr": 1e-4}, {"params": model.head.parameters(), "lr": 2e-2}])
model.head = nn.Linear(32, 10)
loop(model, optimizer, y, 15, "digits")
# cure: - model.head = nn.Linear(32, 10)
# cure: + model.head = nn.Linear(32, 10)
# cure: + optimizer = torch.optim.Adam([{"params": model.encoder.parameters(), "lr": 1e-4}, {"params": model.head.parameters(), "lr": 2e-2}])
