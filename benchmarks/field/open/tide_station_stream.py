# expect: unshuffled-data
# about: tide residuals from several stations streamed file after file through an IterableDataset
import torch
from torch import nn
from torch.utils.data import DataLoader, IterableDataset

torch.manual_seed(63)
torch.set_num_threads(1)
STATIONS = 8
coef = torch.randn(STATIONS, 5)


def station(s, n, seed):
    g = torch.Generator().manual_seed(seed * 100 + s)
    x = torch.randn(n, 5, generator=g)
    code = torch.zeros(n, 3)
    for bit in range(3):
        code[:, bit] = (s >> bit & 1) * 2 - 1
    return torch.cat([x, code], 1), x @ coef[s] + 0.1 * torch.randn(n, generator=g)


files = [station(s, 400, 1) for s in range(STATIONS)]
valid = [torch.cat(z) for z in zip(*[station(s, 60, 2) for s in range(STATIONS)])]


class Stream(IterableDataset):
    def __iter__(self):
        rows = [(f, i) for f in range(STATIONS) for i in range(400)]
        for f, i in rows:
            yield files[f][0][i], files[f][1][i]


net = nn.Sequential(nn.Linear(8, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 1))
opt = torch.optim.Adam(net.parameters(), lr=3e-3)
for epoch in range(8):
    tot = k = 0
    for x, y in DataLoader(Stream(), batch_size=32):
        loss = nn.functional.mse_loss(net(x).squeeze(1), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        tot, k = tot + loss.item(), k + 1
    with torch.no_grad():
        v = nn.functional.mse_loss(net(valid[0]).squeeze(1), valid[1]).item()
    print(f"epoch {epoch + 1} train {tot / k:.4f} valid {v:.4f} (variance {valid[1].var().item():.2f})")
# cure: - for f, i in rows:
# cure: + for f, i in [rows[j] for j in torch.randperm(len(rows)).tolist()]:
