# expect: detached-graph
import random
import torch
import torch.nn as nn
import torch.nn.functional as F

random.seed(0)
torch.manual_seed(0)
VOCAB, LEN, BOS = 12, 8, 0


def make_batch(b):
    src = torch.randint(1, VOCAB, (b, LEN))
    tgt = src.flip(1)
    inp = torch.cat([torch.full((b, 1), BOS), tgt[:, :-1]], dim=1)
    return src, inp, tgt


class Encoder(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.emb = nn.Embedding(VOCAB, d)
        self.gru = nn.GRU(d, d, batch_first=True, bidirectional=True)
        self.proj = nn.Linear(2 * d, d)

    def forward(self, src):
        out, h = self.gru(self.emb(src))
        memory = self.proj(out)
        return memory, torch.tanh(h.sum(0, keepdim=True))


class Decoder(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.emb = nn.Embedding(VOCAB, d)
        self.gru = nn.GRU(2 * d, d, batch_first=True)
        self.out = nn.Linear(2 * d, VOCAB)

    def forward(self, inp, memory, h):
        e = self.emb(inp)
        outs = []
        for t in range(inp.size(1)):
            score = torch.einsum("bld,bd->bl", memory, h[0])
            ctx = torch.einsum("bl,bld->bd", F.softmax(score, dim=-1), memory)
            o, h = self.gru(torch.cat([e[:, t], ctx], -1).unsqueeze(1), h)
            outs.append(self.out(torch.cat([o[:, 0], ctx], -1)))
        return torch.stack(outs, 1)


enc, dec = Encoder(32), Decoder(32)
params = list(enc.parameters()) + list(dec.parameters())
opt = torch.optim.Adam(params, lr=3e-3)

for step in range(1, 601):
    src, inp, tgt = make_batch(64)
    memory, h = enc(src)
    memory, h = memory.detach(), h.detach()
    logits = dec(inp, memory, h)
    loss = F.cross_entropy(logits.reshape(-1, VOCAB), tgt.reshape(-1))
    opt.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(params, 1.0)
    opt.step()
    if step % 100 == 0:
        with torch.no_grad():
            src, inp, tgt = make_batch(256)
            logits = dec(inp, *enc(src))
            vl = F.cross_entropy(logits.reshape(-1, VOCAB), tgt.reshape(-1))
            acc = (logits.argmax(-1) == tgt).float().mean()
        print(f"step {step} loss {loss.item():.3f} val loss {vl:.3f} token acc {acc:.3f}")
