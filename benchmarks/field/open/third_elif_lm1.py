# expect: healthy
import ast, inspect, math, torch, torch.nn as nn
from torch.nn import functional as F

torch.manual_seed(7)
text = inspect.getsource(ast)[:70000]
chars = sorted(set(text)); stoi = {c: i for i, c in enumerate(chars)}
data = torch.tensor([stoi[c] for c in text]); n = int(.9 * len(data))
V, T, C, B = len(chars), 32, 64, 16

def get_batch(split):
    d = data[:n] if split == "train" else data[n:]
    ix = torch.randint(len(d) - T - 1, (B,))
    return torch.stack([d[i:i+T] for i in ix]), torch.stack([d[i+1:i+T+1] for i in ix])

class Block(nn.Module):
    def __init__(self, h=4):
        super().__init__()
        self.h = h
        self.ln1, self.ln2 = nn.LayerNorm(C), nn.LayerNorm(C)
        self.qkv, self.proj = nn.Linear(C, 3 * C), nn.Linear(C, C)
        self.mlp = nn.Sequential(nn.Linear(C, 4 * C), nn.GELU(), nn.Linear(4 * C, C))
    def forward(self, x):
        b, t, _ = x.shape
        q, k, v = self.qkv(self.ln1(x)).view(b, t, 3, self.h, C // self.h).permute(2, 0, 3, 1, 4)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).reshape(b, t, C)
        x = x + self.proj(y)
        return x + self.mlp(self.ln2(x))

class GPT(nn.Module):
    def __init__(self):
        super().__init__()
        self.wte, self.wpe = nn.Embedding(V, C), nn.Embedding(T, C)
        self.blocks = nn.ModuleList(Block() for _ in range(2))
        self.ln = nn.LayerNorm(C)
        self.head = nn.Linear(C, V, bias=False)
        for p in self.parameters():
            if p.dim() > 1: nn.init.normal_(p, 0, .02)
        self.head.weight = self.wte.weight
    def forward(self, x):
        h = self.wte(x) + self.wpe(torch.arange(x.size(1)))
        for b in self.blocks: h = b(h)
        return self.head(self.ln(h))

net = GPT()
decay = [p for p in net.parameters() if p.dim() > 1]; rest = [p for p in net.parameters() if p.dim() < 2]
opt = torch.optim.AdamW([{"params": decay, "weight_decay": .1}, {"params": rest, "weight_decay": 0.}], lr=3e-3, betas=(.9, .95))
steps = 600
for it in range(steps):
    lr = 3e-3 * min(1, (it + 1) / 60) * (.1 + .9 * .5 * (1 + math.cos(math.pi * it / steps)))
    for g in opt.param_groups: g["lr"] = lr
    x, y = get_batch("train")
    loss = F.cross_entropy(net(x).view(-1, V), y.view(-1))
    opt.zero_grad(set_to_none=True); loss.backward()
    nn.utils.clip_grad_norm_(net.parameters(), 1.0)
    opt.step()
    if it % 100 == 99:
        with torch.no_grad():
            v = sum(F.cross_entropy(net(a).view(-1, V), b.view(-1)).item() for a, b in (get_batch("val") for _ in range(20))) / 20
        print(it, loss.item(), "val", v)
p = torch.bincount(data[:n], minlength=V).float() + 1
big = torch.ones(V, V) * .1
big.index_put_((data[:n-1], data[1:n]), torch.ones(n - 1), accumulate=True)
big /= big.sum(1, keepdim=True)
print("val", v, "bigram", -big[data[n:-1], data[n+1:]].log().mean().item())
