# expect: vanishing-gradients
# also: saturated-activations
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset
from sklearn.datasets import load_digits


class DeepNet(nn.Module):
    def __init__(self, n_in, width, depth, n_out, act=nn.Sigmoid):
        super().__init__()
        layers = [nn.Linear(n_in, width), act()]
        for _ in range(depth - 1):
            layers += [nn.Linear(width, width), act()]
        self.body = nn.Sequential(*layers)
        self.head = nn.Linear(width, n_out)

    def forward(self, x):
        return self.head(self.body(x))


class Trainer:
    def __init__(self, model, loaders, lr, epochs):
        self.model, self.loaders, self.epochs = model, loaders, epochs
        self.opt = torch.optim.SGD(model.parameters(), lr=lr, momentum=0.9)
        self.loss = nn.CrossEntropyLoss()

    def evaluate(self):
        self.model.eval()
        hit = tot = 0
        with torch.no_grad():
            for x, y in self.loaders["val"]:
                hit += (self.model(x).argmax(1) == y).sum().item()
                tot += len(y)
        return hit / tot

    def fit(self):
        for epoch in range(self.epochs):
            self.model.train()
            for x, y in self.loaders["train"]:
                self.opt.zero_grad()
                loss = self.loss(self.model(x), y)
                loss.backward()
                self.opt.step()
            print(f"epoch={epoch} loss={loss.item():.4f} val_acc={self.evaluate():.4f}")


if __name__ == "__main__":
    torch.manual_seed(0)
    X, y = load_digits(return_X_y=True)
    X = torch.tensor(X).float()
    X = (X - X.mean()) / X.std()
    y = torch.tensor(y)
    idx = torch.randperm(len(X))
    ds = lambda i: TensorDataset(X[i], y[i])
    loaders = {"train": DataLoader(ds(idx[:1400]), batch_size=32, shuffle=True), "val": DataLoader(ds(idx[1400:]), batch_size=200)}
    Trainer(DeepNet(64, 64, 8, 10), loaders, 0.02, 20).fit()
