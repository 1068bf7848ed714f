# expect: unscaled-inputs
# about: loan default model on raw columns: income in euro, age in years, ratios below one
import numpy as np
import pandas as pd
import torch
import torch.nn as nn
from sklearn.model_selection import train_test_split

torch.set_num_threads(1)
np.random.seed(8)
torch.manual_seed(8)
n = 3000
frame = pd.DataFrame({
    "income": np.random.lognormal(10.5, 0.5, n), "age": np.random.randint(21, 75, n), "debt_ratio": np.random.beta(2, 4, n),
    "late_payments": np.random.poisson(0.7, n), "loan": np.random.lognormal(9.5, 0.6, n), "score": np.random.normal(650, 70, n),
})
logit = 5 * (frame.debt_ratio - 0.33) + 1.0 * frame.late_payments - 0.02 * (frame.score - 650) - 1.2 * (np.log(frame.income) - 10.5) - 0.7
frame["default"] = (np.random.rand(n) < 1 / (1 + np.exp(-1.5 * logit))).astype(int)
features = [c for c in frame.columns if c != "default"]
train, test = train_test_split(frame, test_size=0.25, random_state=0)
Xtr, Xte = train[features].to_numpy(dtype=np.float32), test[features].to_numpy(dtype=np.float32)
Xtr, Xte = torch.from_numpy(Xtr), torch.from_numpy(Xte)
ytr = torch.tensor(train["default"].values, dtype=torch.float32)
yte = torch.tensor(test["default"].values, dtype=torch.float32)


class LoanNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1, self.fc2, self.fc3 = nn.Linear(6, 32), nn.Linear(32, 16), nn.Linear(16, 1)

    def forward(self, x):
        return self.fc3(torch.relu(self.fc2(torch.relu(self.fc1(x))))).squeeze(1)


model = LoanNet()
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
lossfn = nn.BCEWithLogitsLoss()
for epoch in range(12):
    model.train()
    ep = []
    for i in torch.randperm(len(Xtr)).split(64):
        loss = lossfn(model(Xtr[i]), ytr[i])
        opt.zero_grad()
        loss.backward()
        opt.step()
        ep.append(loss.item())
    model.eval()
    with torch.no_grad():
        out = model(Xte)
        acc = ((out > 0).float() == yte).float().mean().item()
    print(f"epoch {epoch:2d} train {np.mean(ep):9.4f} test {lossfn(out, yte).item():9.4f} acc {acc:.3f} base {max(yte.mean().item(), 1 - yte.mean().item()):.3f}")
# cure: - Xtr, Xte = torch.from_numpy(Xtr), torch.from_numpy(Xte)
# cure: + mu, sd = Xtr.mean(0), Xtr.std(0)
# cure: + Xtr, Xte = torch.from_numpy((Xtr - mu) / sd), torch.from_numpy((Xte - mu) / sd)
