# expect: scrambled-axes
# about: transformer encoder from torch.nn over order books, tensors laid out batch, time, feature
import torch
import torch.nn as nn

torch.manual_seed(64)
torch.set_num_threads(1)
T = 12


def orders(n):
    x = torch.randn(n, T, 6)
    first, last = x[:, :4, 0].mean(1), x[:, -4:, 1].mean(1)
    return x, ((first > 0).long() * 2 + (last > 0).long())


class BookEncoder(nn.Module):
    def __init__(self, d=32):
        super().__init__()
        self.proj = nn.Linear(6, d)
        self.pos = nn.Parameter(torch.randn(T, d) * 0.1)
        layer = nn.TransformerEncoderLayer(d_model=d, nhead=4, dim_feedforward=64, dropout=0.0)
        self.encoder = nn.TransformerEncoder(layer, num_layers=2, enable_nested_tensor=False)
        self.cls = nn.Linear(d, 4)

    def forward(self, x):
        h = self.proj(x) + self.pos
        h = self.encoder(h)
        return self.cls(h[:, -1])


model = BookEncoder()
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
xt, yt = orders(2400)
xv, yv = orders(480)
for epoch in range(8):
    model.train()
    tot = 0.0
    for b in torch.randperm(2400).split(48):
        loss = nn.functional.cross_entropy(model(xt[b]), yt[b])
        opt.zero_grad()
        loss.backward()
        opt.step()
        tot += loss.item()
    model.eval()
    with torch.no_grad():
        acc = torch.cat([model(xv[i : i + 48]).argmax(1) == yv[i : i + 48] for i in range(0, 480, 48)]).float().mean()
    print(f"epoch {epoch + 1} loss {tot / 50:.3f} val acc {acc:.3f}")
# cure: - layer = nn.TransformerEncoderLayer(d_model=d, nhead=4, dim_feedforward=64, dropout=0.0)
# cure: + layer = nn.TransformerEncoderLayer(d_model=d, nhead=4, dim_feedforward=64, dropout=0.0, batch_first=True)
