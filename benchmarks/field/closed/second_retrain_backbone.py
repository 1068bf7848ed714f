# expect: frozen-layers
# also: params-not-in-optimizer
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

torch.manual_seed(20)
d = load_digits()
X = torch.tensor(d.images[:, None] / 16, dtype=torch.float32)
y = torch.tensor(d.target)
even = y % 2 == 0


class SmallNet(nn.Module):
    def __init__(self, n_out):
        super().__init__()
        self.features = nn.Sequential(nn.Conv2d(1, 8, 3, stride=2, padding=1), nn.ReLU(), nn.Conv2d(8, 8, 3, stride=2, padding=1), nn.ReLU())
        self.neck = nn.Linear(32, 16)
        self.classifier = nn.Linear(16, n_out)

    def forward(self, x):
        return self.classifier(F.relu(self.neck(self.features(x).flatten(1))))


def fit(model, X, y, Xv, yv, epochs, lr, tag):
    params = [p for p in model.parameters() if p.requires_grad]
    opt = torch.optim.Adam(params, lr=lr)
    for ep in range(epochs):
        model.train()
        tot = 0
        for idx in torch.randperm(len(X)).split(32):
            loss = F.cross_entropy(model(X[idx]), y[idx])
            opt.zero_grad()
            loss.backward()
            opt.step()
            tot += loss.item() * len(idx)
        model.eval()
        with torch.no_grad():
            o = model(Xv)
        if ep % 5 == 4:
            print(f"{tag} {ep+1}: train {tot/len(X):.3f} val {F.cross_entropy(o, yv):.3f} acc {(o.argmax(1) == yv).float().mean():.3f}")


Xt, Xv, yt, yv = train_test_split(X, y, test_size=0.25, random_state=20)
model = SmallNet(10)
# train the upper part first, then everything together
for p in model.features.parameters():
    p.requires_grad = False
fit(model, Xt, yt, Xv, yv, 5, 3e-3, "warmup")
for name, p in model.named_parameters():
    if name.startswith("classifier") or name.startswith("backbone"):
        p.requires_grad = True
    else:
        p.requires_grad = False
fit(model, Xt, yt, Xv, yv, 25, 1e-3, "full")
