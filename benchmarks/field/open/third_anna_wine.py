# expect: unscaled-inputs
import torch
import torch.nn as nn
from sklearn.datasets import load_wine
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

torch.manual_seed(1)
X, y = load_wine(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.3, random_state=2, stratify=y)

X_train = torch.tensor(X_train, dtype=torch.float32)
X_test = torch.tensor(X_test, dtype=torch.float32)
y_train = torch.tensor(y_train)
y_test = torch.tensor(y_test)

model = nn.Sequential(nn.Linear(13, 32), nn.ReLU(), nn.Linear(32, 16), nn.ReLU(), nn.Linear(16, 3))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
criterion = nn.CrossEntropyLoss()

for epoch in range(120):
    model.train()
    perm = torch.randperm(len(X_train))
    for i in range(0, len(perm), 16):
        b = perm[i:i + 16]
        optimizer.zero_grad()
        loss = criterion(model(X_train[b]), y_train[b])
        loss.backward()
        optimizer.step()
    if epoch % 10 == 9:
        model.eval()
        with torch.no_grad():
            acc = (model(X_test).argmax(1) == y_test).float().mean()
        print(f"Epoch {epoch+1}: loss={loss.item():.4f} test acc={acc.item():.4f}")
