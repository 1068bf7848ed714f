# expect: model-too-small
import torch
import torch.nn as nn
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression

torch.manual_seed(4)
X, y = load_digits(return_X_y=True)
X = torch.tensor(X / 8 - 1, dtype=torch.float32)
y = torch.tensor(y)
p = torch.randperm(len(X))
X, y = X[p], y[p]


class Red(nn.Module):
    def __init__(self, oculto=2):
        super().__init__()
        self.entrada = nn.Linear(64, oculto)
        self.salida = nn.Linear(oculto, 10)

    def forward(self, x):
        return self.salida(torch.tanh(self.entrada(x)))


red = Red()
opt = torch.optim.Adam(red.parameters(), lr=0.01)
sched = torch.optim.lr_scheduler.StepLR(opt, 25, 0.3)
for epoca in range(60):
    suma = 0
    for b in torch.randperm(1300).split(50):
        perdida = nn.functional.cross_entropy(red(X[b]), y[b])
        opt.zero_grad()
        perdida.backward()
        opt.step()
        suma += perdida.item()
    sched.step()
    if epoca % 6 == 5:
        with torch.no_grad():
            val = nn.functional.cross_entropy(red(X[1300:]), y[1300:]).item()
            ac = (red(X[1300:]).argmax(1) == y[1300:]).float().mean().item()
        print("epoca", epoca, "perdida", suma / 26, "val", val, "aciertos", ac)
print("regresion logistica", LogisticRegression(max_iter=1000).fit(X[:1300], y[:1300]).score(X[1300:], y[1300:]))
