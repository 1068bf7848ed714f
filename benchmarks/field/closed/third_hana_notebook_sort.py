# expect: healthy
# %%
import random
import torch, torch.nn as nn
import torch.nn.functional as F
from torch.nn.utils.rnn import pad_sequence, pack_padded_sequence
random.seed(1); torch.manual_seed(1)
PAD, BOS, EOS = 0, 1, 2
N = 3 + 10
# %% sort short lists of digits
def sample():
    s = [random.randint(3, N - 1) for _ in range(random.randint(2, 7))]
    return s, sorted(s)
def batch(n):
    rows = [sample() for _ in range(n)]
    x = pad_sequence([torch.tensor(a) for a, _ in rows], True, PAD)
    y = pad_sequence([torch.tensor([BOS, *b, EOS]) for _, b in rows], True, PAD)
    return x, y, torch.tensor([len(a) for a, _ in rows])
# %%
class Seq2Seq(nn.Module):
    def __init__(self, h=96):
        super().__init__()
        self.emb = nn.Embedding(N, 32, padding_idx=PAD)
        self.enc, self.dec = nn.GRU(32, h, batch_first=True), nn.GRUCell(32, h)
        self.att, self.out = nn.Linear(h, h), nn.Linear(2 * h, N)
    def forward(self, x, lens, y=None, steps=9, force=1.0):
        e, h = self.enc(pack_padded_sequence(self.emb(x), lens, batch_first=True, enforce_sorted=False))
        e, _ = nn.utils.rnn.pad_packed_sequence(e, batch_first=True)
        h, tok, outs = h[0], torch.full((len(x),), BOS), []
        for i in range(steps if y is None else y.size(1) - 1):
            h = self.dec(self.emb(tok), h)
            w = torch.bmm(e, self.att(h).unsqueeze(2)).squeeze(2).masked_fill(x == PAD, -1e9).softmax(1)
            o = self.out(torch.cat([h, (w.unsqueeze(2) * e).sum(1)], 1))
            outs.append(o)
            tok = y[:, i + 1] if y is not None and random.random() < force else o.argmax(1)
        return torch.stack(outs, 1)
net = Seq2Seq(); opt = torch.optim.Adam(net.parameters(), lr=3e-3)
xv, yv, lv = batch(300)
# %%
for it in range(500):
    x, y, l = batch(48)
    o = net(x, l, y, force=max(0.5, 1 - it / 600))
    loss = F.cross_entropy(o.flatten(0, 1), y[:, 1:].flatten(), ignore_index=PAD)
    opt.zero_grad(); loss.backward(); nn.utils.clip_grad_norm_(net.parameters(), 1.0); opt.step()
    if it % 50 == 49:
        with torch.no_grad():
            p = net(xv, lv, steps=yv.size(1) - 1).argmax(-1)
        m = yv[:, 1:] != PAD
        print(it + 1, loss.item(), "token acc", (p == yv[:, 1:])[m].float().mean().item(), "whole list", ((p == yv[:, 1:]) | ~m).all(1).float().mean().item())
