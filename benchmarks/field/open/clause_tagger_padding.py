# expect: wrong-loss
# also: class-imbalance
# about: GRU tagger on clauses of very different length, padded to the longest, cross-entropy over all positions
import torch
from torch import nn
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader

torch.manual_seed(35)
torch.set_num_threads(1)
g = torch.Generator().manual_seed(35)


def clause():
    n = 60 if torch.rand((), generator=g) < 0.06 else int(torch.randint(3, 8, (), generator=g))
    w = torch.randint(2, 200, (n,), generator=g)
    prev = torch.cat([torch.zeros(1, dtype=torch.long), w[:-1]])
    return w, 1 + (w // 8 + prev // 100) % 5


class GruTagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb, self.gru, self.out = nn.Embedding(200, 24), nn.GRU(24, 48, batch_first=True), nn.Linear(48, 6)

    def forward(self, x):
        return self.out(self.gru(self.emb(x))[0])


def collate(rows):
    return pad_sequence([r[0] for r in rows], True, 0), pad_sequence([r[1] for r in rows], True, 0)


data = [clause() for _ in range(1800)]
loader = DataLoader(data[:1500], 30, shuffle=True, collate_fn=collate)
vx, vy = collate(data[1500:])
net = GruTagger()
opt = torch.optim.SGD(net.parameters(), lr=0.3, momentum=0.9)
loss_fn = nn.CrossEntropyLoss()
for epoch in range(7):
    run = 0.0
    for x, t in loader:
        opt.zero_grad()
        loss = loss_fn(net(x).flatten(0, 1), t.flatten())
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        opt.step()
        run += loss.item()
    with torch.no_grad():
        p = net(vx).argmax(-1)
    real = vx > 0
    print(f"epoch {epoch + 1} loss {run / len(loader):.3f} acc on words {(p[real] == vy[real]).float().mean():.3f} on all positions {(p == vy).float().mean():.3f}")
# cure: - loss_fn = nn.CrossEntropyLoss()
# cure: + loss_fn = nn.CrossEntropyLoss(ignore_index=0)
