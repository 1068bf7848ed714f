# expect: healthy
"""Curriculum: learn to add numbers modulo 5 over growing sequence lengths; the loss jumps at each new stage."""
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(19)


class Adder(nn.Module):
    def __init__(self, h=64):
        super().__init__()
        self.emb = nn.Embedding(5, 16)
        self.rnn = nn.GRU(16, h, batch_first=True)
        self.out = nn.Linear(h, 5)

    def forward(self, x):
        return self.out(self.rnn(self.emb(x))[0])


def batch(n, length):
    x = torch.randint(0, 5, (n, length))
    return x, x.cumsum(1) % 5


model = Adder()
opt = torch.optim.Adam(model.parameters(), lr=5e-3)
step = 0
for length in (2, 3, 5, 8, 12):
    for it in range(160):
        x, y = batch(64, length)
        loss = F.cross_entropy(model(x).flatten(0, 1), y.flatten())
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        opt.step()
        step += 1
        if it in (0, 79, 159):
            print(f"stage length {length:2d} step {step} loss {loss.item():.4f}")
with torch.no_grad():
    x, y = batch(500, 12)
    o = model(x)
    last = (o[:, -1].argmax(1) == y[:, -1]).float().mean()
print(f"length 12: loss {F.cross_entropy(o.flatten(0, 1), y.flatten()):.4f}, accuracy on the last sum {last:.3f}, chance 0.2")
