# expect: scrambled-axes
# about: activity recognition with nn.TransformerEncoderLayer left at its default layout while the batches are (batch, time, features)
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

torch.set_num_threads(1)
torch.manual_seed(26)


def recordings(n, T=16):
    y = torch.randint(4, (n,))
    t = torch.arange(T).float()
    a, b = torch.randint(0, T, (n, 1)), torch.randint(0, T, (n, 1))
    x = 0.4 * torch.randn(n, T, 4)
    swap = (y % 2 == 1).view(-1, 1)
    lo, hi = torch.minimum(a, b), torch.maximum(a, b)
    hi = torch.where(hi == lo, (lo + 1) % T, hi)
    lo, hi = torch.minimum(lo, hi), torch.maximum(lo, hi)
    first, second = torch.where(swap, hi, lo), torch.where(swap, lo, hi)
    x[torch.arange(n), first[:, 0], 0] += 3
    x[torch.arange(n), second[:, 0], 1] += torch.where(y >= 2, 3.0, -3.0)
    return x, y


class MotionEncoder(nn.Module):
    def __init__(self, d=32):
        super().__init__()
        self.inp = nn.Linear(4, d)
        self.pos = nn.Parameter(0.1 * torch.randn(16, d))
        self.layer = nn.TransformerEncoderLayer(d_model=d, nhead=4, dim_feedforward=64, dropout=0.0)
        self.layer2 = nn.TransformerEncoderLayer(d_model=d, nhead=4, dim_feedforward=64, dropout=0.0, batch_first=self.layer.self_attn.batch_first)
        self.fc = nn.Linear(d, 4)

    def forward(self, x):
        h = self.layer2(self.layer(self.inp(x) + self.pos))
        return self.fc(h[:, 0])


train = DataLoader(TensorDataset(*recordings(2000)), batch_size=40, shuffle=True)
xv, yv = recordings(400)
model = MotionEncoder()
optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
criterion = nn.CrossEntropyLoss()
for epoch in range(8):
    model.train()
    s = 0.0
    for x, y in train:
        optimizer.zero_grad()
        loss = criterion(model(x), y)
        loss.backward()
        optimizer.step()
        s += loss.item() / len(train)
    model.eval()
    with torch.no_grad():
        o = model(xv)
    print(epoch, "train %.4f" % s, "val %.4f" % criterion(o, yv).item(), "acc %.3f" % (o.argmax(1) == yv).float().mean().item())
# cure: - self.layer = nn.TransformerEncoderLayer(d_model=d, nhead=4, dim_feedforward=64, dropout=0.0)
# cure: + self.layer = nn.TransformerEncoderLayer(d_model=d, nhead=4, dim_feedforward=64, dropout=0.0, batch_first=True)
