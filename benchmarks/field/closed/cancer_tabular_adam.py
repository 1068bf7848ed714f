# expect: lr-too-low
# about: wide MLP on standardised breast cancer data fine-tuned "carefully" at 1e-6 although it starts from scratch
import torch
import torch.nn as nn
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

torch.set_num_threads(1)
torch.manual_seed(0)
data = load_breast_cancer()
Xtr, Xte, ytr, yte = train_test_split(data.data, data.target, test_size=0.2, stratify=data.target, random_state=2)
scaler = StandardScaler()
Xtr = torch.FloatTensor(scaler.fit_transform(Xtr))
Xte = torch.FloatTensor(scaler.transform(Xte))
ytr, yte = torch.FloatTensor(ytr).unsqueeze(1), torch.FloatTensor(yte).unsqueeze(1)

BATCH = 32
EPOCHS = 30
LR = 1e-6

model = nn.Sequential(nn.Linear(30, 64), nn.ReLU(), nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=LR)
criterion = nn.BCEWithLogitsLoss()
for epoch in range(EPOCHS):
    model.train()
    perm = torch.randperm(len(Xtr))
    total = 0
    for i in range(0, len(Xtr), BATCH):
        b = perm[i:i + BATCH]
        optimizer.zero_grad()
        loss = criterion(model(Xtr[b]), ytr[b])
        loss.backward()
        optimizer.step()
        total += loss.item() * len(b)
    if (epoch + 1) % 5 == 0:
        model.eval()
        with torch.no_grad():
            out = model(Xte)
            print(f"Epoch [{epoch + 1}/{EPOCHS}] loss {total / len(Xtr):.4f} test loss {criterion(out, yte).item():.4f} acc {((out > 0) == (yte > 0.5)).float().mean().item():.3f}")
# cure: - LR = 1e-6
# cure: + LR = 1e-3
