# expect: params-not-in-optimizer
import math
import torch
from torch import nn


class Residual(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.lin1, self.lin2 = nn.Linear(d, d), nn.Linear(d, d)

    def forward(self, x):
        return x + self.lin2(torch.relu(self.lin1(x)))


class ResMLP(nn.Module):
    def __init__(self, n_in, d, depth, n_out):
        super().__init__()
        self.inp = nn.Linear(n_in, d)
        self.blocks = [Residual(d) for _ in range(depth)]
        self.out = nn.Linear(d, n_out)

    def forward(self, x):
        x = self.inp(x)
        for b in self.blocks:
            x = b(x)
        return self.out(x)


def spirals(n, turns=2.5, noise=0.03):
    t = torch.rand(n).sqrt()
    c = torch.randint(0, 3, (n,))
    a = t * turns * 2 * math.pi + c * 2 * math.pi / 3
    return torch.stack([t * a.cos(), t * a.sin()], 1) + noise * torch.randn(n, 2), c


class Trainer:
    def __init__(self, model, lr, batch_size):
        self.model = model
        self.opt = torch.optim.AdamW(model.parameters(), lr=lr)
        self.bs = batch_size
        self.history = {"loss": [], "val_acc": []}

    def fit(self, train, val, epochs):
        x, y = train
        for ep in range(epochs):
            tot = 0
            for k in torch.randperm(len(x)).split(self.bs):
                loss = nn.functional.cross_entropy(self.model(x[k]), y[k])
                self.opt.zero_grad()
                loss.backward()
                self.opt.step()
                tot += loss.item() * len(k)
            self.history["loss"].append(tot / len(x))
            self.history["val_acc"].append(self.evaluate(*val))
            if ep % 10 == 9:
                print("epoch {} loss {:.3f} val_acc {:.3f}".format(ep + 1, self.history["loss"][-1], self.history["val_acc"][-1]))

    @torch.no_grad()
    def evaluate(self, x, y):
        return (self.model(x).argmax(1) == y).float().mean().item()


torch.manual_seed(14)
train, val = spirals(2000), spirals(600)
trainer = Trainer(ResMLP(2, 32, 3, 3), 3e-3, 64)
trainer.fit(train, val, 60)
