# expect: double-softmax
# about: GRU name classifier: F.softmax in forward and F.cross_entropy in the loop, Adam
import keyword
import builtins
import random
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(3)
random.seed(3)
torch.set_num_threads(1)
errors = [n for n in dir(builtins) if n.endswith(("Error", "Warning"))]
lowers = [n for n in dir(builtins) if n.islower()] + list(keyword.kwlist)
dunders = [n for n in dir(int) + dir(str) + dir(dict) if n.startswith("__")]
methods = [n for n in dir(str) + dir(list) + dir(dict) if not n.startswith("_")]
names = [(n, 0) for n in errors] + [(n, 1) for n in lowers] + [(n, 2) for n in dunders] + [(n.upper(), 3) for n in methods]
random.shuffle(names)
cut = int(0.8 * len(names))


def encode(n):
    codes = [min(ord(c), 127) for c in n[:12]]
    return torch.tensor(codes + [0] * (12 - len(codes)))


X = torch.stack([encode(n) for n, _ in names])
Y = torch.tensor([c for _, c in names])


class NameRNN(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(128, 16)
        self.gru = nn.GRU(16, 32, batch_first=True)
        self.out = nn.Linear(32, 4)

    def forward(self, x):
        _, h = self.gru(self.emb(x))
        return F.softmax(self.out(h[0]), dim=-1)


rnn = NameRNN()
opt = torch.optim.Adam(rnn.parameters(), lr=3e-3)
for ep in range(12):
    for b in torch.randperm(cut).split(16):
        probs = rnn(X[b])
        loss = F.cross_entropy(probs, Y[b])
        opt.zero_grad()
        loss.backward()
        opt.step()
    with torch.no_grad():
        p = rnn(X[cut:])
    print(ep, "loss %.4f" % loss.item(), "val %.4f" % F.cross_entropy(p, Y[cut:]).item(), "acc %.3f" % (p.argmax(1) == Y[cut:]).float().mean().item())
# cure: - return F.softmax(self.out(h[0]), dim=-1)
# cure: + return self.out(h[0])
