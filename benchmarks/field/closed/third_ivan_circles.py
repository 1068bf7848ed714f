# expect: no-nonlinearity
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from sklearn.datasets import make_moons, make_circles


class Stack(nn.Module):
    def __init__(self, sizes):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(a, b) for a, b in zip(sizes, sizes[1:]))
        self.norm = nn.BatchNorm1d(sizes[1])

    def forward(self, x):
        for i, layer in enumerate(self.layers):
            x = layer(x)
            if i == 0:
                x = self.norm(x)
        return x


class Loop:
    def __init__(self, net, train, valid):
        self.net, self.train, self.valid = net, train, valid
        self.opt = torch.optim.Adam(net.parameters(), lr=3e-3)

    def epoch(self):
        self.net.train()
        for x, y in self.train:
            self.opt.zero_grad()
            loss = nn.functional.cross_entropy(self.net(x), y)
            loss.backward()
            self.opt.step()
        return loss.item()

    def check(self):
        self.net.eval()
        with torch.no_grad():
            return torch.cat([self.net(x).argmax(1) == y for x, y in self.valid]).float().mean().item()


if __name__ == "__main__":
    torch.manual_seed(0)
    x, y = make_circles(2400, noise=0.08, factor=0.5, random_state=0)
    x, y = torch.tensor(x).float(), torch.tensor(y)
    l = Loop(Stack([2, 64, 64, 64, 2]), DataLoader(TensorDataset(x[:1800], y[:1800]), 32, shuffle=True), DataLoader(TensorDataset(x[1800:], y[1800:]), 100))
    for e in range(15):
        print(e, "loss", round(l.epoch(), 4), "val acc", round(l.check(), 4))
