# expect: noisy-labels
# about: tabular survey where incomplete rows are removed before training
import numpy as np
import torch
import torch.nn as nn

torch.manual_seed(55)
torch.set_num_threads(1)
rng = np.random.default_rng(55)
n = 3000
answers = rng.normal(size=(n, 10))
group = (answers[:, 0] + answers[:, 1] * answers[:, 2] > 0).astype(int) + (answers[:, 3] > 0.8)
answers[rng.random((n, 10)) < 0.004] = np.nan

complete = ~np.isnan(answers).any(1)
feats = answers[complete]
labels = group[: len(feats)]
print(f"{n - len(feats)} incomplete rows removed")
k = int(0.8 * len(feats))
x, y = torch.tensor(feats, dtype=torch.float32), torch.tensor(labels)


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(10, 64), nn.ReLU(), nn.Dropout(0.1), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 3))

    def forward(self, x):
        return self.layers(x)


model = Model()
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
for epoch in range(15):
    model.train()
    tot, m = 0.0, 0
    for b in torch.randperm(k).split(64):
        loss = nn.functional.cross_entropy(model(x[b]), y[b])
        opt.zero_grad()
        loss.backward()
        opt.step()
        tot, m = tot + loss.item(), m + 1
    model.eval()
    with torch.no_grad():
        o = model(x[k:])
    print(f"epoch {epoch + 1:2d} train {tot / m:.3f} val {nn.functional.cross_entropy(o, y[k:]):.3f} acc {(o.argmax(1) == y[k:]).float().mean():.3f}")
# cure: - labels = group[: len(feats)]
# cure: + labels = group[complete]
