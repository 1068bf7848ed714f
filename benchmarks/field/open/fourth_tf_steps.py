# expect: target-leakage
import numpy as np
import torch
import torch.nn as nn

rs = np.random.RandomState(0)
torch.manual_seed(0)
MOD, LEN, PREFIX = 17, 12, 4


def generate(n):
    start, step = rs.randint(0, MOD, (n, 1)), rs.randint(1, 6, (n, 1))
    return torch.from_numpy((start + step * np.arange(LEN)) % MOD)


class StepModel(nn.Module):
    def __init__(self, d=48, heads=4, layers=2):
        super().__init__()
        self.emb = nn.Embedding(MOD, d)
        self.pos = nn.Parameter(0.1 * torch.randn(LEN, d))
        enc = nn.TransformerEncoderLayer(d, heads, 96, dropout=0.0, batch_first=True)
        self.enc = nn.TransformerEncoder(enc, layers, enable_nested_tensor=False)
        self.fc = nn.Linear(d, MOD)

    def forward(self, x):
        n = x.size(1)
        mask = torch.triu(torch.ones(n, n), diagonal=2).bool()
        return self.fc(self.enc(self.emb(x) + self.pos[:n], mask=mask))


@torch.no_grad()
def continue_from(model, seq):
    model.eval()
    cur = seq[:, :PREFIX]
    while cur.size(1) < LEN:
        cur = torch.cat([cur, model(cur)[:, -1].argmax(-1, keepdim=True)], 1)
    model.train()
    return (cur[:, PREFIX:] == seq[:, PREFIX:]).float().mean().item()


held = generate(300)
model = StepModel()
opt = torch.optim.Adam(model.parameters(), lr=2e-3)
lossf = nn.CrossEntropyLoss()
running = []
for it in range(500):
    s = generate(48)
    opt.zero_grad()
    l = lossf(model(s[:, :-1]).transpose(1, 2), s[:, 1:])
    l.backward()
    opt.step()
    running.append(l.item())
    if (it + 1) % 100 == 0:
        print(f'| iter {it+1:4d} | loss {np.mean(running[-100:]):6.3f}')
a = continue_from(model, held)
print(f'| continuation accuracy {a:.3f}')
