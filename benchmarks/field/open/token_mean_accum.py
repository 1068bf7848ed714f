# expect: healthy
# about: four micro-batches an update; losses are summed over tokens and divided by the token count of all four, not each by its own
import random

import torch
import torch.nn.functional as F
from torch import nn

random.seed(9)
torch.manual_seed(9)
torch.set_num_threads(1)
PAD, BOS = 0, 1
SYMBOLS = list(range(2, 12))


def sample():
    """A sequence repeats a motif of two to four symbols; after one round every next symbol is determined."""
    motif = random.sample(SYMBOLS, random.randint(2, 4))
    length = random.randint(8, 20)
    return [BOS] + [motif[k % len(motif)] for k in range(length)]


def pad(rows):
    width = max(map(len, rows))
    return torch.tensor([r + [PAD] * (width - len(r)) for r in rows])


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(12, 24, padding_idx=PAD)
        self.gru = nn.GRU(24, 64, batch_first=True)
        self.out = nn.Linear(64, 12)

    def forward(self, x):
        return self.out(self.gru(self.emb(x))[0])


net = Net()
optim = torch.optim.AdamW(net.parameters(), lr=6e-3)
held_out = pad([sample() for _ in range(200)])
ACCUM = 4
for update in range(1, 261):
    micro = [pad([sample() for _ in range(8)]) for _ in range(ACCUM)]
    tokens = sum(int((m[:, 1:] != PAD).sum()) for m in micro)
    optim.zero_grad()
    report = 0.0
    for m in micro:
        loss = F.cross_entropy(net(m[:, :-1]).transpose(1, 2), m[:, 1:], ignore_index=PAD, reduction="sum") / tokens
        loss.backward()
        report += loss.item()
    gnorm = nn.utils.clip_grad_norm_(net.parameters(), 1.0)
    optim.step()
    if update % 26 == 0:
        with torch.no_grad():
            o = net(held_out[:, :-1])
        t = held_out[:, 1:]
        late = (t != PAD) & (torch.arange(t.shape[1]) >= 4)
        acc = (o.argmax(-1) == t)[late].float().mean().item()
        print(f"update {update} nll/token {report:.4f} grad {gnorm:.2f} held-out accuracy after the first round {acc:.3f}")
