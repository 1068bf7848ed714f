# expect: healthy
# about: character GRU on a standard-library module, truncated backprop with the hidden state carried over and detached, no shuffling
import inspect
import textwrap

import torch
import torch.nn as nn

torch.set_num_threads(1)
torch.manual_seed(15)
text = inspect.getsource(textwrap)[:16000]
vocab = sorted(set(text))
ids = torch.tensor([vocab.index(c) for c in text])
B, T = 16, 32
n = len(ids) * 9 // 10 // B * B
data = ids[:n].view(B, -1)
held = ids[n:]


class CharGRU(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(len(vocab), 32)
        self.gru = nn.GRU(32, 96, batch_first=True)
        self.drop = nn.Dropout(0.3)
        self.fc = nn.Linear(96, len(vocab))

    def forward(self, x, h=None):
        o, h = self.gru(self.embed(x), h)
        return self.fc(self.drop(o)), h


net = CharGRU()
opt = torch.optim.Adam(net.parameters(), lr=5e-3)
sch = torch.optim.lr_scheduler.CosineAnnealingLR(opt, 14)
ce = nn.CrossEntropyLoss()
for epoch in range(14):
    net.train()
    h, total, count = None, 0.0, 0
    for s in range(0, data.size(1) - 1, T):
        x, y = data[:, s:s + T], data[:, s + 1:s + T + 1]
        x = x[:, :y.size(1)]
        out, h = net(x, h)
        h = h.detach()
        loss = ce(out.transpose(1, 2), y)
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        opt.step()
        total, count = total + loss.item(), count + 1
    sch.step()
    net.eval()
    with torch.no_grad():
        out, _ = net(held[None, :-1])
        v = ce(out[0], held[1:]).item()
    print(f"epoch {epoch} train {total / count:.4f} held-out {v:.4f}")
