# expect: train-val-mismatch
# about: padding on the right in training, on the left in validation; dense reader of short sentences
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
g = torch.Generator().manual_seed(0)


def sentences(n):
    out = []
    for _ in range(n):
        length = int(torch.randint(3, 9, (1,), generator=g))
        out.append(torch.randint(1, 15, (length,), generator=g))
    return out, torch.tensor([int(s[0] > 7) for s in out])


def pad_right(seqs, width=12):
    return torch.stack([torch.cat([s, torch.zeros(width - len(s), dtype=torch.long)]) for s in seqs])


def pad_left(seqs, width=12):
    return torch.stack([torch.cat([torch.zeros(width - len(s), dtype=torch.long), s]) for s in seqs])


class Conv(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(15, 8, padding_idx=0)
        self.body = nn.Sequential(nn.Flatten(), nn.Linear(96, 32), nn.ReLU(), nn.Linear(32, 2))

    def forward(self, x):
        return self.body(self.emb(x))


train, ytr = sentences(1000)
val, yva = sentences(300)
Xtr, Xva = pad_right(train), pad_left(val)
net = Conv()
opt = torch.optim.Adam(net.parameters(), lr=5e-3)
for epoch in range(8):
    for b in torch.randperm(1000).split(40):
        loss = nn.functional.cross_entropy(net(Xtr[b]), ytr[b])
        opt.zero_grad()
        loss.backward()
        opt.step()
    with torch.no_grad():
        o = net(Xva)
    print(f"epoch {epoch} loss {loss.item():.4f} val {nn.functional.cross_entropy(o, yva).item():.4f} acc {(o.argmax(1) == yva).float().mean().item():.3f}")
# cure: - Xtr, Xva = pad_right(train), pad_left(val)
# cure: + Xtr, Xva = pad_right(train), pad_right(val)
