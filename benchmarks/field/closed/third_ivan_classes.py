# expect: healthy
import torch
from torch import nn
from torch.optim.swa_utils import AveragedModel, SWALR, update_bn
from torch.utils.data import DataLoader, TensorDataset
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier


class Block(nn.Module):
    def __init__(self, i, o):
        super().__init__()
        self.fc, self.bn = nn.Linear(i, o), nn.BatchNorm1d(o)

    def forward(self, x):
        return torch.relu(self.bn(self.fc(x)))


class Experiment:
    epochs, swa_start, batch = 24, 14, 64

    def __init__(self):
        X, y = make_classification(4000, 25, n_informative=12, n_classes=4, n_clusters_per_class=2, class_sep=1.3, random_state=8)
        X = (X - X[:3000].mean(0)) / X[:3000].std(0)
        self.X, self.y = torch.tensor(X).float(), torch.tensor(y)
        self.loader = DataLoader(TensorDataset(self.X[:3000], self.y[:3000]), batch_size=self.batch, shuffle=True)
        self.net = nn.Sequential(Block(25, 96), Block(96, 96), nn.Linear(96, 4))
        self.avg = AveragedModel(self.net)
        self.opt = torch.optim.SGD(self.net.parameters(), lr=0.1, momentum=0.9, weight_decay=1e-4)
        self.cos = torch.optim.lr_scheduler.CosineAnnealingLR(self.opt, self.swa_start)
        self.swa = SWALR(self.opt, swa_lr=0.03, anneal_epochs=3)

    def acc(self, m):
        m.eval()
        with torch.no_grad():
            r = (m(self.X[3000:]).argmax(1) == self.y[3000:]).float().mean().item()
        m.train()
        return r

    def run(self):
        for e in range(self.epochs):
            for x, y in self.loader:
                loss = nn.functional.cross_entropy(self.net(x), y)
                self.opt.zero_grad()
                loss.backward()
                self.opt.step()
            if e >= self.swa_start:
                self.avg.update_parameters(self.net)
                self.swa.step()
            else:
                self.cos.step()
            print(e, f"loss {loss.item():.3f} acc {self.acc(self.net):.4f}")
        update_bn(self.loader, self.avg)
        print("averaged acc", self.acc(self.avg), "forest", RandomForestClassifier(random_state=0).fit(self.X[:3000], self.y[:3000]).score(self.X[3000:], self.y[3000:]))


torch.manual_seed(19)
Experiment().run()
