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
model = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 10))
opt = torch.optim.Adam(model.parameters(), lr=1e-3)


def loss_fn(out, target):
    return nn.functional.mse_loss(out.softmax(1) @ torch.arange(10.0), target.float())


def predict(out):
    return out.argmax(1)


for epoch in range(20):
    for b in tr[torch.randperm(len(tr))].split(32):
        loss = loss_fn(model(X[b]), y[b])
        opt.zero_grad()
        loss.backward()
        opt.step()
    with torch.no_grad():
        out = model(X[te])
    print(f"epoch {epoch} loss {loss.item():.4f} test {loss_fn(out, y[te]).item():.4f} accuracy {(predict(out) == y[te]).float().mean():.3f}")
# cure: - return nn.functional.mse_loss(out.softmax(1) @ torch.arange(10.0), target.float())
# cure: + return nn.functional.cross_entropy(out, target)
