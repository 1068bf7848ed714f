# expect: double-softmax
import inspect, shutil, subprocess
import torch, torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(42)
text = inspect.getsource(shutil) + inspect.getsource(subprocess)
text = text[:90000]
chars = sorted(set(text)); stoi = {c: i for i, c in enumerate(chars)}
ids = torch.tensor([stoi[c] for c in text])
V, CTX = len(chars), 6
X = ids.unfold(0, CTX, 1)[:-1]; Y = ids[CTX:]
n = int(.85 * len(X))

class MLP(nn.Module):
    def __init__(self, emb=24, hid=128):
        super().__init__()
        self.C = nn.Embedding(V, emb)
        self.l1 = nn.Linear(CTX * emb, hid)
        self.l2 = nn.Linear(hid, V)
    def forward(self, x):
        h = torch.tanh(self.l1(self.C(x).flatten(1)))
        return F.softmax(self.l2(h), dim=-1)

model = MLP()
opt = torch.optim.AdamW(model.parameters(), lr=2e-3)
for i in range(2500):
    ix = torch.randint(0, n, (64,))
    loss = F.cross_entropy(model(X[ix]), Y[ix])
    opt.zero_grad(); loss.backward(); opt.step()
    if i % 500 == 499:
        with torch.no_grad():
            p = model(X[n:])
            print(i, loss.item(), "val acc", (p.argmax(1) == Y[n:]).float().mean().item(), "val loss", F.cross_entropy(p, Y[n:]).item())
