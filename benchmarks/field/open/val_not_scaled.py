# expect: train-val-mismatch
# also: unscaled-inputs
# about: StandardScaler applied to the training part only
import torch
from torch import nn
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

torch.manual_seed(0)
torch.set_num_threads(1)
X, y = load_breast_cancer(return_X_y=True)
X_train, X_val, y_train, y_val = train_test_split(X, y, test_size=0.25, random_state=42, stratify=y)
scaler = StandardScaler()
X_train = scaler.fit_transform(X_train)
X_val = X_val
X_train, X_val = torch.tensor(X_train, dtype=torch.float32), torch.tensor(X_val, dtype=torch.float32)
y_train, y_val = torch.tensor(y_train, dtype=torch.float32).unsqueeze(1), torch.tensor(y_val, dtype=torch.float32).unsqueeze(1)
model = nn.Sequential(nn.Linear(30, 16), nn.ReLU(), nn.Linear(16, 1))
criterion = nn.BCEWithLogitsLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for epoch in range(25):
    model.train()
    perm = torch.randperm(len(X_train))
    for i in range(0, len(perm), 16):
        j = perm[i : i + 16]
        optimizer.zero_grad()
        loss = criterion(model(X_train[j]), y_train[j])
        loss.backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        out = model(X_val)
        print(f"Epoch {epoch}: train_loss {loss.item():.4f} val_loss {criterion(out, y_val).item():.4f} val_acc {((out > 0) == y_val.bool()).float().mean().item():.4f}")
# cure: - X_val = X_val
# cure: + X_val = scaler.transform(X_val)
