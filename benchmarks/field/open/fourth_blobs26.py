# expect: output-range-mismatch
# also: dead-relus
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import make_blobs
from sklearn.preprocessing import StandardScaler


class FFN(nn.Module):
    def __init__(self, dims, act=F.relu):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(a, b) for a, b in zip(dims, dims[1:])])
        self.act = act

    def forward(self, x):
        for layer in self.layers:
            x = self.act(layer(x))
        return x


class Experiment:
    def __init__(self, seed=0):
        torch.manual_seed(seed)
        X, y = make_blobs(5200, n_features=16, centers=26, cluster_std=3.0, random_state=seed)
        X = StandardScaler().fit_transform(X)
        X, y = torch.tensor(X, dtype=torch.float32), torch.tensor(y)
        self.xt, self.yt, self.xv, self.yv = X[:4000], y[:4000], X[4000:], y[4000:]
        self.model = FFN([16, 128, 128, 26])
        self.opt = torch.optim.SGD(self.model.parameters(), lr=0.1, momentum=0.9)

    def train(self, epochs=15, bs=64):
        for ep in range(epochs):
            ls = []
            for k in torch.randperm(len(self.xt)).split(bs):
                self.opt.zero_grad()
                loss = F.cross_entropy(self.model(self.xt[k]), self.yt[k])
                loss.backward()
                self.opt.step()
                ls.append(loss.item())
            print(f"Epoch {ep + 1}/{epochs} - loss: {np.mean(ls):.4f} - val_accuracy: {self.score():.4f}")
        return self

    @torch.no_grad()
    def score(self):
        return (self.model(self.xv).argmax(1) == self.yv).float().mean().item()


result = Experiment().train().score()
