# expect: lr-too-high
# about: GRU forecasting with RMSprop at 0.1: saturated and jumping losses
# also: saturated-activations
import numpy as np
import torch
import torch.nn as nn

torch.manual_seed(0)
np.random.seed(1)
torch.set_num_threads(1)
t = np.arange(1200)
load = np.sin(2 * np.pi * t / 24) + 0.5 * np.sin(2 * np.pi * t / 12 + 1) + 0.1 * np.random.randn(1200)
load = (load - load.mean()) / load.std()
SEQ = 24
X = torch.tensor(np.array([load[i : i + SEQ] for i in range(1200 - SEQ)])).float().unsqueeze(2)
Y = torch.tensor(load[SEQ:]).float()


class GRUNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.gru = nn.GRU(1, 32, batch_first=True)
        self.fc = nn.Linear(32, 1)

    def forward(self, x):
        out, _ = self.gru(x)
        return self.fc(out[:, -1]).squeeze(1)


net = GRUNet()
optimizer = torch.optim.RMSprop(net.parameters(), lr=0.1)
mse = nn.MSELoss()
for epoch in range(8):
    net.train()
    total = 0
    for b in torch.randperm(950).split(32):
        optimizer.zero_grad()
        loss = mse(net(X[b]), Y[b])
        loss.backward()
        optimizer.step()
        total += loss.item() * len(b)
    net.eval()
    with torch.no_grad():
        v = mse(net(X[950:]), Y[950:]).item()
    print(f"epoch {epoch} train {total / 950:.4f} val {v:.4f}")
# cure: - optimizer = torch.optim.RMSprop(net.parameters(), lr=0.1)
# cure: + optimizer = torch.optim.RMSprop(net.parameters(), lr=0.003)
