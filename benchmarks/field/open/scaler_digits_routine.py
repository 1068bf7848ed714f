# expect: clip-before-unscale
# about: mixed-precision training routine with gradient scaler, tried out on the CPU build
import torch
import torch.nn as nn
from sklearn.datasets import load_digits

torch.manual_seed(45)
torch.set_num_threads(1)
X, y = load_digits(return_X_y=True)
X, y = torch.tensor(X, dtype=torch.float32) / 16, torch.tensor(y)
model = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 10))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
scaler = torch.amp.GradScaler("cpu", init_scale=2.0**14)
criterion = nn.CrossEntropyLoss()


def train_one_epoch(epoch):
    model.train()
    loss_sum = 0.0
    for b in torch.randperm(1400).split(35):
        optimizer.zero_grad(set_to_none=True)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            loss = criterion(model(X[b]), y[b])
        scaler.scale(loss).backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm=5.0)
        scaler.step(optimizer)
        scaler.update()
        loss_sum += loss.item()
    return loss_sum / 40


for epoch in range(8):
    train_loss = train_one_epoch(epoch)
    model.eval()
    with torch.no_grad():
        acc = (model(X[1400:]).argmax(1) == y[1400:]).float().mean().item()
    print(f"epoch {epoch + 1}/8 loss {train_loss:.4f} val_acc {acc:.3f} scale {scaler.get_scale():.0f}")
# cure: - scaler.scale(loss).backward()
# cure: + scaler.scale(loss).backward()
# cure: + scaler.unscale_(optimizer)
