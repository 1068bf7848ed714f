# expect: healthy
# about: course exercise: GRU encoder-decoder with attention turns written dates into ISO form, teacher forcing, exact-match score
import random

import torch
import torch.nn as nn

torch.set_num_threads(1)
random.seed(0)
torch.manual_seed(0)
MONTHS = "january february march april may june july august september october november december".split()
CHARS = sorted(set("abcdefghijklmnopqrstuvwxyz0123456789 ,/.-"))
src_id = {c: i + 1 for i, c in enumerate(CHARS)}
OUT = "0123456789-"
BOS = len(OUT)


def sample():
    y, m, d = random.randint(1980, 2029), random.randint(1, 12), random.randint(1, 28)
    name = MONTHS[m - 1]
    text = random.choice([f"{d} {name} {y}", f"{name[:3]} {d}, {y}", f"{d}/{m}/{y}", f"{name} {d} {y}", f"{d}.{m:02d}.{y}"])
    return text, f"{y}-{m:02d}-{d:02d}"


def encode(pairs):
    src = torch.zeros(len(pairs), 18, dtype=torch.long)
    tgt = torch.zeros(len(pairs), 11, dtype=torch.long)
    for i, (a, b) in enumerate(pairs):
        src[i, :len(a)] = torch.tensor([src_id[c] for c in a])
        tgt[i] = torch.tensor([BOS] + [OUT.index(c) for c in b])
    return src, tgt


class Seq2Seq(nn.Module):
    def __init__(self, hid=48):
        super().__init__()
        self.es, self.et = nn.Embedding(len(CHARS) + 1, 24, padding_idx=0), nn.Embedding(len(OUT) + 1, 24)
        self.enc = nn.GRU(24, hid, batch_first=True, bidirectional=True)
        self.dec = nn.GRU(24, hid, batch_first=True)
        self.query = nn.Linear(hid, 2 * hid)
        self.out = nn.Linear(3 * hid, len(OUT))
        self.bridge = nn.Linear(2 * hid, hid)

    def step(self, memory, mask, tok, state):
        o, state = self.dec(self.et(tok), state)
        score = self.query(o) @ memory.transpose(1, 2) / memory.size(-1) ** 0.5
        w = score.masked_fill(mask[:, None], float("-inf")).softmax(-1)
        return self.out(torch.cat([o, w @ memory], -1)), state

    def encode(self, src):
        memory, h = self.enc(self.es(src))
        return memory, src == 0, torch.tanh(self.bridge(torch.cat([h[0], h[1]], -1)))[None]

    def forward(self, src, tgt_in):
        memory, mask, h = self.encode(src)
        return self.step(memory, mask, tgt_in, h)[0]

    @torch.no_grad()
    def greedy(self, src):
        memory, mask, h = self.encode(src)
        tok, ans = torch.full((len(src), 1), BOS), []
        for _ in range(10):
            o, h = self.step(memory, mask, tok, h)
            tok = o.argmax(-1)
            ans.append(tok)
        return torch.cat(ans, 1)


model = Seq2Seq()
optimizer = torch.optim.Adam(model.parameters(), lr=4e-3)
vs, vt = encode([sample() for _ in range(300)])
N_ITERS = 360
for it in range(1, N_ITERS + 1):
    if it in (240, 310):
        for g in optimizer.param_groups:
            g["lr"] *= 0.3
    src, tgt = encode([sample() for _ in range(64)])
    logits = model(src, tgt[:, :-1])
    loss = nn.functional.cross_entropy(logits.reshape(-1, len(OUT)), tgt[:, 1:].reshape(-1))
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    if it % 50 == 0:
        exact = (model.greedy(vs) == vt[:, 1:]).all(1).float().mean().item()
        print(f"iter {it} loss {loss.item():.4f} exact dates {exact:.3f}")
