# expect: params-not-in-optimizer
# about: GRU encoder-decoder that spells numbers; update helper collected in one function
import random

import torch
import torch.nn as nn
import torch.nn.functional as F

random.seed(1)
torch.manual_seed(1)
torch.set_num_threads(1)
words = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
chars = sorted(set("".join(words) + " <>"))
cid = {c: i for i, c in enumerate(chars)}


def sample(n):
    src = torch.randint(0, 10, (n, 3))
    text = ["<" + " ".join(words[d] for d in row) + ">" for row in src.tolist()]
    T = max(map(len, text))
    out = torch.tensor([[cid[c] for c in s.ljust(T, ">")] for s in text])
    return src, out


class Speller(nn.Module):
    def __init__(self, h=64):
        super().__init__()
        self.e1, self.e2 = nn.Embedding(10, 16), nn.Embedding(len(chars), 16)
        self.enc, self.dec = nn.GRU(16, h, batch_first=True), nn.GRU(16, h, batch_first=True)
        self.out = nn.Linear(h, len(chars))

    def forward(self, src, tgt):
        _, h = self.enc(self.e1(src))
        return self.out(self.dec(self.e2(tgt), h)[0])


def optimize(optimizer, loss, model):
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 5.0)
    optimizer.zero_grad()
    optimizer.step()


net = Speller()
opt = torch.optim.Adam(net.parameters(), lr=5e-3)
for i in range(1, 301):
    src, out = sample(32)
    logits = net(src, out[:, :-1])
    loss = F.cross_entropy(logits.reshape(-1, len(chars)), out[:, 1:].reshape(-1))
    optimize(opt, loss, net)
    if i % 50 == 0:
        acc = (logits.argmax(-1) == out[:, 1:]).float().mean().item()
        print(f"iter {i}: loss={loss.item():.3f} char acc={acc:.3f}")
# cure: - optimizer.zero_grad()
# cure: - optimizer.step()
# cure: + optimizer.step()
# cure: + optimizer.zero_grad()
