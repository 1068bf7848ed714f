# expect: healthy
# about: five fault kinds from 62 % down to 3 %, inverse-frequency class weights, overlap between classes keeps the loss near 0.5
import numpy as np
import torch
from sklearn.metrics import balanced_accuracy_score
from sklearn.utils.class_weight import compute_class_weight
from torch import nn, optim
from torch.utils.data import DataLoader, TensorDataset

SEED = 42
torch.manual_seed(SEED)
torch.set_num_threads(1)
rng = np.random.default_rng(SEED)
shares = np.array([0.62, 0.2, 0.1, 0.05, 0.03])
centers = rng.normal(0, 1.1, (5, 10))


def sample(n):
    y = rng.choice(5, n, p=shares)
    return (centers[y] + rng.normal(0, 1.25, (n, 10))).astype(np.float32), y


X_train, y_train = sample(4000)
X_val, y_val = sample(1500)
weights = torch.tensor(compute_class_weight("balanced", classes=np.arange(5), y=y_train), dtype=torch.float32)
model = nn.Sequential(nn.Linear(10, 64), nn.BatchNorm1d(64), nn.ReLU(), nn.Dropout(0.3), nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 5))
criterion = nn.CrossEntropyLoss(weight=weights)
optimizer = optim.AdamW(model.parameters(), lr=1e-3, weight_decay=1e-2)
train_loader = DataLoader(TensorDataset(torch.from_numpy(X_train), torch.from_numpy(y_train)), batch_size=128, shuffle=True)
scheduler = optim.lr_scheduler.CosineAnnealingLR(optimizer, 20 * len(train_loader))
dist = ((X_val[:, None, :] - centers) ** 2).sum(2)
print("ideal classifier, balanced accuracy:", round(balanced_accuracy_score(y_val, dist.argmin(1)), 3))
history = {"train_loss": [], "val_loss": [], "val_bacc": []}
for epoch in range(20):
    model.train()
    running = 0.0
    for xb, yb in train_loader:
        optimizer.zero_grad()
        loss = criterion(model(xb), yb)
        loss.backward()
        optimizer.step()
        scheduler.step()
        running += loss.item() * len(xb)
    model.eval()
    with torch.no_grad():
        out = model(torch.from_numpy(X_val))
        history["val_loss"].append(criterion(out, torch.from_numpy(y_val)).item())
    history["train_loss"].append(running / len(X_train))
    history["val_bacc"].append(balanced_accuracy_score(y_val, out.argmax(1).numpy()))
    if (epoch + 1) % 4 == 0:
        print(f"Epoch {epoch + 1}/20", {k: round(v[-1], 4) for k, v in history.items()})
