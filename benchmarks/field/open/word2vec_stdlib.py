# expect: healthy
# about: skip-gram with negative sampling on standard-library text, no validation, SparseAdam
import collections
import inspect
import re
import subprocess as source_module
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
torch.set_num_threads(1)
words = re.findall(r"[a-z_]+", inspect.getsource(source_module).lower())
counts = collections.Counter(words)
vocab = [w for w, c in counts.items() if c >= 3]
ids = {w: i for i, w in enumerate(vocab)}
seq = torch.tensor([ids[w] for w in words if w in ids])
freq = torch.tensor([counts[w] for w in vocab]).float() ** 0.75


class SkipGram(nn.Module):
    def __init__(self, v, d=32):
        super().__init__()
        self.center = nn.Embedding(v, d, sparse=True)
        self.context = nn.Embedding(v, d, sparse=True)
        nn.init.uniform_(self.center.weight, -0.5 / d, 0.5 / d)
        nn.init.zeros_(self.context.weight)

    def forward(self, c, o, neg):
        ec = self.center(c)
        pos = (ec * self.context(o)).sum(1)
        negs = torch.bmm(self.context(neg), ec.unsqueeze(2)).squeeze(2)
        return -(F.logsigmoid(pos) + F.logsigmoid(-negs).sum(1)).mean()


model = SkipGram(len(vocab))
opt = torch.optim.SparseAdam(model.parameters(), lr=0.02)
sched = torch.optim.lr_scheduler.LinearLR(opt, 1.0, 0.01, total_iters=1500)
avg = 0.0
for step in range(1, 1501):
    i = torch.randint(2, len(seq) - 2, (128,))
    shift = torch.tensor([-2, -1, 1, 2])[torch.randint(0, 4, (128,))]
    neg = torch.multinomial(freq, 128 * 5, replacement=True).view(128, 5)
    loss = model(seq[i], seq[i + shift], neg)
    opt.zero_grad()
    loss.backward()
    opt.step()
    sched.step()
    avg += loss.item()
    if step % 250 == 0:
        print("step", step, "avg loss", round(avg / 250, 4))
        avg = 0.0
