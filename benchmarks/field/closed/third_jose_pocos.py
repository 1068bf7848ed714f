# expect: healthy
import copy
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits

torch.manual_seed(10)
datos = load_digits()
X = torch.tensor(datos.data, dtype=torch.float32) / 16
y = torch.tensor(datos.target)
orden = torch.randperm(len(X))
X, y = X[orden], y[orden]
etiq = 150              # only a few have labels
X_lab, y_lab = X[:etiq], y[:etiq]
X_sin = X[etiq:1400]
X_test, y_test = X[1400:], y[1400:]


def red():
    return nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Dropout(0.3), nn.Linear(128, 128), nn.ReLU(), nn.Linear(128, 10))


def entrenar(usar_sin_etiqueta, pasos=1200):
    alumno = red()
    media = copy.deepcopy(alumno)
    for p in media.parameters():
        p.detach_()
    opt = torch.optim.Adam(alumno.parameters(), lr=1e-3)
    for paso in range(pasos):
        i = torch.randint(0, etiq, (32,))
        loss = F.cross_entropy(alumno(X_lab[i] + 0.1 * torch.randn(32, 64)), y_lab[i])
        if usar_sin_etiqueta:
            j = torch.randint(0, len(X_sin), (64,))
            with torch.no_grad():
                objetivo = F.softmax(media(X_sin[j]), 1)
            peso = min(1.0, paso / 400) * 10
            loss = loss + peso * F.mse_loss(F.softmax(alumno(X_sin[j] + 0.15 * torch.randn(64, 64)), 1), objetivo)
        opt.zero_grad()
        loss.backward()
        opt.step()
        with torch.no_grad():
            for a, b in zip(media.parameters(), alumno.parameters()):
                a.copy_(0.99 * a + 0.01 * b)
        if paso % 200 == 0:
            print("paso", paso, "loss", loss.item())
    media.eval()
    with torch.no_grad():
        return (media(X_test).argmax(1) == y_test).float().mean().item()


print("solo etiquetas:", entrenar(False))
print("con profesor medio:", entrenar(True))
