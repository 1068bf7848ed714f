# expect: output-range-mismatch
# about: GRU forecast of a z-scored electricity load with a sigmoid on the output layer
import numpy as np
import torch
import torch.nn as nn

torch.set_num_threads(1)
torch.manual_seed(0)
np.random.seed(0)
h = np.arange(24 * 90)
load = 420 + 90 * np.sin(2 * np.pi * h / 24) + 45 * np.sin(2 * np.pi * h / 168 + 1) + 12 * np.random.randn(len(h))
split = 24 * 70
mu, sd = load[:split].mean(), load[:split].std()
z = torch.tensor((load - mu) / sd, dtype=torch.float32)


def windows(z, L=24):
    w = z.unfold(0, L + 1, 1)
    return w[:, :L].unsqueeze(-1), w[:, L:]


xtr, ytr = windows(z[:split])
xte, yte = windows(z[split:])


class LoadGRU(nn.Module):
    def __init__(self):
        super().__init__()
        self.gru = nn.GRU(1, 24, batch_first=True)
        self.dense = nn.Linear(24, 1)
        self.act = nn.Sigmoid()

    def forward(self, x):
        o, _ = self.gru(x)
        return self.act(self.dense(o[:, -1]))


model = LoadGRU()
mse = nn.MSELoss()
optimizer = torch.optim.RMSprop(model.parameters(), lr=2e-3)
for ep in range(8):
    tl = []
    for b in torch.randperm(len(xtr)).split(64):
        optimizer.zero_grad()
        loss = mse(model(xtr[b]), ytr[b])
        loss.backward()
        optimizer.step()
        tl.append(loss.item())
    with torch.no_grad():
        p = model(xte)
        mape = ((p - yte).abs() * sd / (yte * sd + mu)).mean().item()
    print(f"epoch {ep + 1}/8 mse {np.mean(tl):.4f} test mse {mse(p, yte).item():.4f} MAPE {100 * mape:.2f}%")
# cure: - return self.act(self.dense(o[:, -1]))
# cure: + return self.dense(o[:, -1])
