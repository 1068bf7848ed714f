# expect: frozen-layers
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset
from sklearn.datasets import load_digits

torch.manual_seed(7)
d = load_digits()
X = torch.tensor(d.images, dtype=torch.float32).unsqueeze(1) / 16
y = torch.tensor(d.target)
p = torch.randperm(len(X))
ent = DataLoader(TensorDataset(X[p[:1300]], y[p[:1300]]), batch_size=32, shuffle=True)
val = DataLoader(TensorDataset(X[p[1300:]], y[p[1300:]]), batch_size=100)


class Extractor(nn.Module):
    def __init__(self):
        super().__init__()
        self.capas = nn.Sequential(
            nn.Conv2d(1, 8, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(8, 8, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
            nn.Flatten(), nn.Linear(32, 24), nn.ReLU(), nn.Linear(24, 16), nn.ReLU())

    def forward(self, x):
        return self.capas(x)


class Modelo(nn.Module):
    def __init__(self):
        super().__init__()
        self.base = Extractor()
        self.cabeza = nn.Linear(16, 10)
        for q in self.base.parameters():
            q.requires_grad = False

    def forward(self, x):
        return self.cabeza(self.base(x))


modelo = Modelo()
opt = torch.optim.Adam([q for q in modelo.parameters() if q.requires_grad], lr=0.003)
fn = nn.CrossEntropyLoss()
for epoca in range(15):
    modelo.train()
    t = 0
    for xb, yb in ent:
        opt.zero_grad()
        perdida = fn(modelo(xb), yb)
        perdida.backward()
        opt.step()
        t += perdida.item()
    modelo.eval()
    with torch.no_grad():
        ok = sum((modelo(xb).argmax(1) == yb).sum().item() for xb, yb in val)
    print("epoca", epoca, "perdida", t / len(ent), "acierto", ok / 497)
