# expect: target-leakage
import configparser, inspect, math, torch, torch.nn as nn
from torch.nn import functional as F

torch.manual_seed(3)
text = inspect.getsource(configparser)[:55000]
chars = sorted(set(text)); stoi = {c: i for i, c in enumerate(chars)}
data = torch.tensor([stoi[c] for c in text]); n = int(.9 * len(data))
V, T, C, B, H = len(chars), 32, 64, 16, 4

class Attn(nn.Module):
    def __init__(self):
        super().__init__()
        self.q, self.k, self.v, self.o = (nn.Linear(C, C, bias=False) for _ in range(4))
    def forward(self, x):
        b, t, _ = x.shape
        q, k, v = (f(x).view(b, t, H, C // H).transpose(1, 2) for f in (self.q, self.k, self.v))
        w = q @ k.transpose(-2, -1) / math.sqrt(C // H)
        w = F.softmax(w, -1)
        return self.o((w @ v).transpose(1, 2).reshape(b, t, C))

class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.n1, self.n2 = Attn(), nn.LayerNorm(C), nn.LayerNorm(C)
        self.m = nn.Sequential(nn.Linear(C, 4 * C), nn.GELU(), nn.Linear(4 * C, C))
    def forward(self, x):
        x = x + self.a(self.n1(x))
        return x + self.m(self.n2(x))

class LM(nn.Module):
    def __init__(self):
        super().__init__()
        self.tok, self.pos = nn.Embedding(V, C), nn.Embedding(T, C)
        self.blocks = nn.Sequential(Block(), Block())
        self.f = nn.Sequential(nn.LayerNorm(C), nn.Linear(C, V))
    def forward(self, x):
        return self.f(self.blocks(self.tok(x) + self.pos(torch.arange(x.size(1)))))

net = LM()
opt = torch.optim.AdamW(net.parameters(), lr=1.5e-3)
for it in range(600):
    ix = torch.randint(0, n - T - 1, (B,))
    x = torch.stack([data[i:i+T] for i in ix]); y = torch.stack([data[i+1:i+T+1] for i in ix])
    loss = F.cross_entropy(net(x).view(-1, V), y.view(-1))
    opt.zero_grad(); loss.backward(); opt.step()
    if it % 100 == 99:
        with torch.no_grad():
            ix = torch.randint(n, len(data) - T - 1, (300,))
            k = int(torch.randint(8, T, ()))
            p = net(torch.stack([data[i:i+k] for i in ix]))[:, -1]
            t = data[ix + k]
        print(it, "loss", loss.item(), "next-char acc after a prefix", (p.argmax(1) == t).float().mean().item(), "nll", F.cross_entropy(p, t).item())
