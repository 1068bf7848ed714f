# expect: healthy
import torch
from torch import nn
from torch.nn import functional as F
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import NearestNeighbors


class Generator(nn.Module):
    def __init__(self, z=16):
        super().__init__()
        self.z = z
        self.net = nn.Sequential(nn.Linear(z, 64 * 4), nn.ReLU(), nn.Unflatten(1, (64, 2, 2)),
                                 nn.ConvTranspose2d(64, 32, 4, 2, 1), nn.BatchNorm2d(32), nn.ReLU(),
                                 nn.ConvTranspose2d(32, 1, 4, 2, 1), nn.Sigmoid())

    def forward(self, n):
        return self.net(torch.randn(n, self.z))


class Discriminator(nn.Module):
    def __init__(self):
        super().__init__()
        sn = nn.utils.parametrizations.spectral_norm
        self.net = nn.Sequential(sn(nn.Conv2d(1, 32, 3, padding=1)), nn.LeakyReLU(0.2), sn(nn.Conv2d(32, 64, 4, 2, 1)), nn.LeakyReLU(0.2), nn.Flatten(), sn(nn.Linear(1024, 1)))

    def forward(self, x):
        return self.net(x).squeeze(1)


class Adversary:
    def __init__(self, data):
        self.data, self.G, self.D = data, Generator(), Discriminator()
        self.og = torch.optim.Adam(self.G.parameters(), lr=5e-4, betas=(0.5, 0.999))
        self.od = torch.optim.Adam(self.D.parameters(), lr=5e-4, betas=(0.5, 0.999))

    def step(self):
        x = self.data[torch.randint(0, len(self.data), (64,))]
        fake = self.G(64)
        ld = F.relu(1 - self.D(x)).mean() + F.relu(1 + self.D(fake.detach())).mean()
        self.od.zero_grad()
        ld.backward()
        self.od.step()
        lg = -self.D(fake).mean()
        self.og.zero_grad()
        lg.backward()
        self.og.step()
        return ld.item(), lg.item()

    def quality(self, clf, nn_):
        with torch.no_grad():
            s = self.G(500).flatten(1).numpy()
        return nn_.kneighbors(s)[0].mean(), clf.predict_proba(s).max(1).mean(), len(set(clf.predict(s)))


if __name__ == "__main__":
    torch.manual_seed(0)
    d = load_digits()
    x = torch.tensor(d.images).float()[:, None] / 16
    flat = x.flatten(1).numpy()
    clf = LogisticRegression(max_iter=1000, C=10).fit(flat, d.target)
    nbr = NearestNeighbors(n_neighbors=1).fit(flat)
    a = Adversary(x)
    print("start: distance to nearest digit, confidence, classes", *a.quality(clf, nbr))
    for it in range(1, 1201):
        ld, lg = a.step()
        if it % 200 == 0:
            print(it, f"D {ld:.3f} G {lg:.3f}", *a.quality(clf, nbr))
