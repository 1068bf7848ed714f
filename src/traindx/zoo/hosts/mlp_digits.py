# Handwritten digits with a small MLP, written top to bottom like a notebook.
import torch
import torch.nn as nn
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch.utils.data import DataLoader, TensorDataset

torch.set_num_threads(1)
SEED = 0
torch.manual_seed(SEED)

digits = load_digits()
X = digits.data.astype("float32") / 16.0
y = digits.target.astype("int64")
X_train, X_val, y_train, y_val = train_test_split(X, y, test_size=0.3, random_state=SEED, stratify=y)
X_train, X_val = torch.from_numpy(X_train), torch.from_numpy(X_val)
y_train, y_val = torch.from_numpy(y_train), torch.from_numpy(y_val)

train_loader = DataLoader(TensorDataset(X_train, y_train), batch_size=32, shuffle=True)
val_loader = DataLoader(TensorDataset(X_val, y_val), batch_size=256)

# %%
model = nn.Sequential(
    nn.Linear(64, 96),
    nn.ReLU(),
    nn.Dropout(0.2),
    nn.Linear(96, 48),
    nn.ReLU(),
    nn.Linear(48, 10),
)
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=4e-3)
scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.88)

# %%
for epoch in range(20):
    model.train()
    total = 0.0
    for xb, yb in train_loader:
        optimizer.zero_grad()
        out = model(xb)
        loss = criterion(out, yb)
        loss.backward()
        optimizer.step()
        total += loss.item() * len(xb)
    scheduler.step()
    train_loss = total / len(X_train)

    model.eval()
    val_loss, correct = 0.0, 0
    with torch.no_grad():
        for xb, yb in val_loader:
            out = model(xb)
            val_loss += criterion(out, yb).item() * len(xb)
            correct += (out.argmax(dim=1) == yb).sum().item()
    val_loss /= len(X_val)
    val_acc = correct / len(X_val)
    print(f"epoch {epoch + 1:2d}  train loss {train_loss:.4f}  val loss {val_loss:.4f}  val acc {val_acc:.3f}")

print(f"FINAL train_loss={train_loss:.5f} val_loss={val_loss:.5f} quality={val_acc:.4f}")
