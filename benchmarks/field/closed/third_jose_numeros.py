# expect: healthy
import torch
import torch.nn as nn
from sklearn.datasets import load_digits
from sklearn.neighbors import KNeighborsClassifier

torch.manual_seed(2)
X, y = load_digits(return_X_y=True)
X = torch.tensor(X, dtype=torch.float32) / 16
y = torch.tensor(y)
mezcla = torch.randperm(len(X))
X, y = X[mezcla], y[mezcla]
X_ent, y_ent, X_val, y_val = X[:1300], y[:1300], X[1300:], y[1300:]
entrenamiento = torch.utils.data.DataLoader(list(zip(X_ent, y_ent)), batch_size=36, shuffle=False)


class Red(nn.Module):
    def __init__(self):
        super().__init__()
        self.capas = nn.ModuleList([nn.Linear(64, 60), nn.Linear(60, 60), nn.Linear(60, 60), nn.Linear(60, 10)])
        self.relu = nn.ReLU()
        self.drop = nn.Dropout(0.1)

    def forward(self, x):
        for c in self.capas[:-1]:
            x = self.drop(self.relu(c(x)))
        return self.capas[-1](x)


def precision(modelo, X, y):
    modelo.eval()
    buenos = 0
    salida = modelo(X)
    for i in range(len(y)):
        if salida[i].argmax() == y[i]:
            buenos = buenos + 1
    modelo.train()
    return buenos / len(y)


modelo = Red()
opt = torch.optim.NAdam(modelo.parameters(), lr=0.002)
funcion = nn.CrossEntropyLoss()
for epoca in range(15):
    perdida_total = 0
    for xb, yb in entrenamiento:
        perdida = funcion(modelo(xb), yb)
        perdida_total = perdida_total + float(perdida)
        opt.zero_grad()
        perdida.backward()
        opt.step()
    print("epoca", epoca, "perdida", perdida_total / 37, "ent", precision(modelo, X_ent, y_ent), "val", precision(modelo, X_val, y_val))
print("knn", KNeighborsClassifier(3).fit(X_ent, y_ent).score(X_val, y_val))
