# expect: wrong-loss
# about: ten classes predicted as one number with MSELoss and rounding
import torch
from torch import nn
from sklearn.datasets import load_digits

torch.manual_seed(0)
torch.set_num_threads(1)
X, y = load_digits(return_X_y=True)
X, y = torch.tensor(X).float() / 16, torch.tensor(y)
perm = torch.randperm(len(X))
tr, te = perm[:1440], perm[1440:]
model = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 1), nn.Flatten(0))
loss_fn = lambda out, labels: nn.functional.mse_loss(out, labels.float())
predict = lambda out: out.round().long()
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
for epoch in range(20):
    model.train()
    for b in tr[torch.randperm(len(tr))].split(32):
        loss = loss_fn(model(X[b]), y[b])
        opt.zero_grad()
        loss.backward()
        opt.step()
    model.eval()
    with torch.no_grad():
        out = model(X[te])
    print(f"epoch {epoch} loss {loss.item():.4f} test {loss_fn(out, y[te]).item():.4f} accuracy {(predict(out) == y[te]).float().mean():.3f}")
# cure: - model = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 1), nn.Flatten(0))
# cure: + model = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 10))
# cure: - loss_fn = lambda out, labels: nn.functional.mse_loss(out, labels.float())
# cure: + loss_fn = nn.CrossEntropyLoss()
# cure: - predict = lambda out: out.round().long()
# cure: + predict = lambda out: out.argmax(1)
