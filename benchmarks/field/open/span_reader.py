# expect: healthy
# about: reading-comprehension toy: bidirectional GRU over text fused with the question marks start and end of the span that answers a key, two cross-entropies averaged
import math

import torch
from torch import nn

torch.set_num_threads(1)
torch.manual_seed(6)
KEYS, FILL, LEN = 8, 20, 32


def batch(n):
    """Text of filler tokens with several facts '<key> v v v <end>'; the question is one of the keys; answer = the span of its values."""
    text = torch.randint(KEYS + 2, KEYS + 2 + FILL, (n, LEN))
    start, end = torch.zeros(n, dtype=torch.long), torch.zeros(n, dtype=torch.long)
    question = torch.zeros(n, dtype=torch.long)
    for i in range(n):
        keys = torch.randperm(KEYS)[:3].tolist()
        pos = int(torch.randint(1, 5, ()))
        facts = []
        for k in keys:
            width = int(torch.randint(1, 5, ()))
            text[i, pos] = k
            text[i, pos + width + 1] = KEYS
            facts.append((k, pos + 1, pos + width))
            pos += width + 2 + int(torch.randint(0, 4, ()))
        question[i], start[i], end[i] = torch.tensor(facts[int(torch.randint(0, 3, ()))])
    return torch.cat([question[:, None], torch.full((n, 1), KEYS + 1), text], 1), start + 2, end + 2


class Reader(nn.Module):
    def __init__(self, d=48):
        super().__init__()
        self.tok = nn.Embedding(KEYS + 2 + FILL, d)
        self.rnn = nn.GRU(3 * d, d, num_layers=1, batch_first=True, bidirectional=True)
        self.span = nn.Linear(2 * d, 2)

    def forward(self, ids):
        e = self.tok(ids)
        q = e[:, :1].expand_as(e)
        h, _ = self.rnn(torch.cat([e, q, e * q], -1))
        s, t = self.span(h).unbind(-1)
        return s, t


pool = batch(2000)
held = batch(500)
model = Reader()
opt = torch.optim.AdamW(model.parameters(), lr=5e-3, weight_decay=0.01)
total, warm = 300, 30
sched = torch.optim.lr_scheduler.LambdaLR(opt, lambda s: min(1, (s + 1) / warm) * 0.5 * (1 + math.cos(math.pi * s / total)))
for step in range(total):
    b = torch.randint(0, 2000, (48,))
    s, e = model(pool[0][b])
    loss = (nn.functional.cross_entropy(s, pool[1][b]) + nn.functional.cross_entropy(e, pool[2][b])) / 2
    opt.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    opt.step()
    sched.step()
    if step % 50 == 49:
        with torch.no_grad():
            s, e = model(held[0])
            em = ((s.argmax(1) == held[1]) & (e.argmax(1) == held[2])).float().mean().item()
        print(f"step {step + 1} loss {loss.item():.4f} exact match {em:.3f}")
print(f"guessing one of the three facts would give {1 / 3:.3f}")
