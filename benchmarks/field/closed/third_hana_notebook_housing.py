# expect: output-range-mismatch
# %%
import numpy as np, torch, torch.nn as nn
from sklearn.datasets import load_diabetes, make_friedman1
from sklearn.preprocessing import StandardScaler
from sklearn.linear_model import LinearRegression
torch.manual_seed(0)
X, y = make_friedman1(1800, noise=.6, random_state=5)
X = StandardScaler().fit_transform(X).astype(np.float32)
y = StandardScaler().fit_transform(y[:, None])[:, 0].astype(np.float32)
Xtr, Xte, ytr, yte = map(torch.tensor, (X[:1400], X[1400:], y[:1400], y[1400:]))
# %%
model = nn.Sequential(
    nn.Linear(10, 64), nn.ReLU(),
    nn.Linear(64, 64), nn.ReLU(),
    nn.Linear(64, 1), nn.Sigmoid())
opt = torch.optim.Adam(model.parameters(), lr=2e-3)
loss_fn = nn.MSELoss()
# %%
losses = []
for epoch in range(25):
    perm = torch.randperm(1400)
    for i in range(0, 1400, 40):
        j = perm[i:i+40]
        loss = loss_fn(model(Xtr[j])[:, 0], ytr[j])
        opt.zero_grad(); loss.backward(); opt.step()
        losses.append(loss.item())
    if epoch % 5 == 4:
        with torch.no_grad():
            r2 = 1 - ((model(Xte)[:, 0] - yte) ** 2).mean() / yte.var()
        print(f"epoch {epoch+1} loss {np.mean(losses[-35:]):.4f} test R2 {r2.item():.4f}")
# %%
print("linear R2", LinearRegression().fit(Xtr, ytr).score(Xte, yte))
