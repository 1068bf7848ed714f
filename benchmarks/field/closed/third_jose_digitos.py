# expect: wrong-loss
import torch
import torch.nn as nn
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

torch.manual_seed(0)
X, y = load_digits(return_X_y=True)
X_ent, X_val, y_ent, y_val = train_test_split(X / 16, y, test_size=0.3, random_state=5, stratify=y)
X_ent = torch.tensor(X_ent, dtype=torch.float32)
X_val = torch.tensor(X_val, dtype=torch.float32)
y_ent = torch.tensor(y_ent, dtype=torch.float32)
y_val = torch.tensor(y_val, dtype=torch.float32)

red = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 1))
perdida = nn.MSELoss()
opt = torch.optim.Adam(red.parameters(), lr=0.002)

for epoca in range(20):
    orden = torch.randperm(len(X_ent))
    suma = 0
    for i in range(0, len(orden), 32):
        b = orden[i:i + 32]
        salida = red(X_ent[b]).squeeze(1)
        loss = perdida(salida, y_ent[b])
        opt.zero_grad()
        loss.backward()
        opt.step()
        suma += loss.item()
    with torch.no_grad():
        pred = red(X_val).squeeze(1).round().clamp(0, 9)
        acierto = (pred == y_val).float().mean().item()
    print("epoca", epoca + 1, "loss", suma, "acierto val", acierto)
