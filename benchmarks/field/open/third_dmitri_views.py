# expect: healthy
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits
from sklearn.neighbors import KNeighborsClassifier
from sklearn.linear_model import LogisticRegression


class Augment:
    def __call__(self, x):
        out = torch.stack([torch.roll(im, (int(a), int(b)), (1, 2)) for im, a, b in zip(x, torch.randint(-2, 3, (len(x),)), torch.randint(-2, 3, (len(x),)))])
        return out * (0.8 + 0.4 * torch.rand(len(x), 1, 1, 1)) + 0.1 * torch.randn_like(out)


class Siam(nn.Module):
    def __init__(self, dim=64):
        super().__init__()
        self.encoder = nn.Sequential(nn.Conv2d(1, 16, 3, padding=1, bias=False), nn.BatchNorm2d(16), nn.ReLU(),
                                     nn.Conv2d(16, 64, 3, stride=2, padding=1, bias=False), nn.BatchNorm2d(64), nn.ReLU(),
                                     nn.Conv2d(64, 128, 3, padding=1, bias=False), nn.BatchNorm2d(128), nn.ReLU(), nn.AdaptiveMaxPool2d(1), nn.Flatten())
        self.projector = nn.Sequential(nn.BatchNorm1d(128), nn.ReLU(), nn.Linear(128, dim, bias=False), nn.BatchNorm1d(dim, affine=False))
        self.predictor = nn.Sequential(nn.Linear(dim, 32, bias=False), nn.BatchNorm1d(32), nn.ReLU(), nn.Linear(32, dim))

    def forward(self, a, b):
        za, zb = self.projector(self.encoder(a)), self.projector(self.encoder(b))
        pa, pb = self.predictor(za), self.predictor(zb)
        return -0.5 * (F.cosine_similarity(pa, zb.detach()).mean() + F.cosine_similarity(pb, za.detach()).mean())


class Runner:
    def __init__(self):
        d = load_digits()
        self.x = Augment()(F.pad(torch.tensor(d.images).float().unsqueeze(1) / 16, (2, 2, 2, 2)))
        self.y = d.target
        self.model = Siam()
        self.opt = torch.optim.SGD(self.model.parameters(), lr=0.06, momentum=0.9, weight_decay=5e-4)
        self.sch = torch.optim.lr_scheduler.CosineAnnealingLR(self.opt, 25)
        self.aug = Augment()

    def probe(self):
        self.model.eval()
        with torch.no_grad():
            f = F.normalize(self.model.encoder(self.x), dim=1).numpy()
        k = KNeighborsClassifier(5).fit(f[:200], self.y[:200]).score(f[200:], self.y[200:])
        return k

    def run(self):
        print("probe before", self.probe(), "pixels", KNeighborsClassifier(5).fit(self.x[:200].flatten(1), self.y[:200]).score(self.x[200:].flatten(1), self.y[200:]))
        for ep in range(25):
            self.model.train()
            tot = 0
            for b in torch.randperm(len(self.x)).split(128)[:-1]:
                loss = self.model(self.aug(self.x[b]), self.aug(self.x[b]))
                self.opt.zero_grad()
                loss.backward()
                self.opt.step()
                tot += loss.item()
            self.sch.step()
            if ep % 6 == 0:
                print(ep, tot / 14, self.probe())
        print("probe after", self.probe())


if __name__ == "__main__":
    torch.manual_seed(4)
    Runner().run()
