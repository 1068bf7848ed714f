# expect: healthy
# about: multi-label BCE with pos_weight, label noise keeps the loss well above zero
import torch
import torch.nn as nn

torch.manual_seed(31)
torch.set_num_threads(1)
config = {"n": 4000, "features": 20, "labels": 6, "batch_size": 64, "epochs": 35, "lr": 1e-3}
B = torch.randn(config["features"], config["labels"])
X = torch.randn(config["n"], config["features"])
P = torch.sigmoid(0.8 * X @ B - 2.5)
Y = torch.bernoulli(P)
Xtr, Ytr, Xte, Yte = X[:3200], Y[:3200], X[3200:], Y[3200:]
pos_weight = (len(Ytr) - Ytr.sum(0)) / Ytr.sum(0)


class MLC(nn.Module):
    def __init__(self, f, l):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(f, 48), nn.ReLU(), nn.Dropout(0.2))
        self.cls = nn.Linear(48, l)

    def forward(self, x):
        return self.cls(self.body(x))


model = MLC(config["features"], config["labels"])
criterion = nn.BCEWithLogitsLoss(pos_weight=pos_weight)
optimizer = torch.optim.AdamW(model.parameters(), lr=config["lr"])
loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(Xtr, Ytr), config["batch_size"], shuffle=True)
for epoch in range(config["epochs"]):
    model.train()
    losses = []
    for xb, yb in loader:
        loss = criterion(model(xb), yb)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.detach())
    model.eval()
    with torch.inference_mode():
        out = model(Xte)
        f1 = 2 * ((out > 0) & (Yte > 0)).sum() / ((out > 0).sum() + Yte.sum())
        print(epoch, "train", torch.stack(losses).mean().item(), "test", criterion(out, Yte).item(), "micro-F1", f1.item())
