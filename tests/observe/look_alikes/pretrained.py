"""Weights that come from elsewhere, by every road but `load_state_dict`, or are random on purpose."""

from __future__ import annotations

from . import DATA, LOADERS, after

PROGRAMS = after(
    DATA,
    {
        "frozen_from_pretrained_numpy": """
import numpy as np, os, tempfile
class Encoder(nn.Module):
    def __init__(s):
        super().__init__(); s.a = nn.Linear(16, 64); s.b = nn.Linear(64, 64)
    def forward(s, x): return F.relu(s.b(F.relu(s.a(x))))
    @classmethod
    def from_pretrained(cls, path):
        m = cls(); w = np.load(path)
        for n, q in m.named_parameters(): q.data.copy_(torch.from_numpy(w[n]))
        return m
path = os.path.join(tempfile.mkdtemp(), "w.npz")
# weights that somebody else trained: the file is made by a closed form, random features
rng = np.random.default_rng(0)
shapes = {n: tuple(q.shape) for n, q in Encoder().named_parameters()}
np.savez(path, **{n: rng.uniform(-1, 1, s).astype("float32") / np.sqrt(s[-1]) for n, s in shapes.items()})
enc = Encoder.from_pretrained(path)
for q in enc.parameters(): q.requires_grad = False
model = nn.Sequential(enc, nn.Linear(64, 4))
opt = torch.optim.Adam(filter(lambda q: q.requires_grad, model.parameters()), 5e-3)
for _ in range(300):
    x, y = make(64)
    loss = F.cross_entropy(model(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
""",
        "frozen_from_pretrained_assign": """
import os, tempfile
class Net(nn.Module):
    def __init__(s):
        super().__init__()
        s.encoder = nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU())
        s.head = nn.Linear(64, 4)
    def forward(s, x): return s.head(s.encoder(x))
    @classmethod
    def from_pretrained(cls, path):
        m = cls(); sd = torch.load(path)
        for n, q in m.encoder.named_parameters(): q.data = sd[n].clone()
        return m
path = os.path.join(tempfile.mkdtemp(), "w.pt")
torch.save({n: torch.randn(q.shape) / q.shape[-1] ** .5 for n, q in Net().encoder.named_parameters()}, path)
model = Net.from_pretrained(path)
model.encoder.requires_grad_(False)
opt = torch.optim.AdamW(model.head.parameters(), 5e-3)
for _ in range(300):
    x, y = make(64)
    loss = F.cross_entropy(model(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
""",
        "frozen_partly_setattr": """
import os, tempfile
class Net(nn.Module):
    def __init__(s):
        super().__init__()
        s.l1 = nn.Linear(16, 64)
        s.l2 = nn.Linear(64, 64)
        s.l3 = nn.Linear(64, 64)
        s.head = nn.Linear(64, 4)
    def forward(s, x): return s.head(F.relu(s.l3(F.relu(s.l2(F.relu(s.l1(x)))))))
path = os.path.join(tempfile.mkdtemp(), "w.pt"); src = Net()
torch.save({n: (torch.rand(q.shape) * 2 - 1) * (3 / q.shape[-1]) ** .5 for n, q in src.named_parameters()}, path)
model = Net(); w = torch.load(path)
for name in ("l1", "l2"):
    layer = getattr(model, name)
    layer.weight = nn.Parameter(w[name + ".weight"], requires_grad=False)
    layer.bias = nn.Parameter(w[name + ".bias"], requires_grad=False)
opt = torch.optim.Adam([q for q in model.parameters() if q.requires_grad], 3e-3)
for _ in range(300):
    x, y = make(64)
    loss = F.cross_entropy(model(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
""",
        "timm_like": """
# hand-made loading: filter the head away, copy in place under no_grad; head trains; backbone in train() mode and frozen
import os, tempfile
class B(nn.Module):
    def __init__(s, n):
        super().__init__()
        s.stem = nn.Conv2d(1, 16, 3, padding=1)
        s.bn = nn.BatchNorm2d(16)
        s.c2 = nn.Conv2d(16, 32, 3, padding=1, stride=2)
        s.head = nn.Linear(32, n)
    def forward(s, x): return s.head(F.relu(s.c2(F.relu(s.bn(s.stem(x))))).mean((2, 3)))
def load_pretrained(m, path):
    sd = {k: v for k, v in torch.load(path).items() if not k.startswith("head")}
    own = dict(m.named_parameters()) | dict(m.named_buffers())
    with torch.no_grad():
        for k, v in sd.items(): own[k].copy_(v)
path = os.path.join(tempfile.mkdtemp(), "b.pth"); torch.save(B(1000).state_dict(), path)
model = B(3); load_pretrained(model, path)
for n, q in model.named_parameters(): q.requires_grad = n.startswith("head")
K = torch.randn(3, 1, 8, 8)
def imgs(n):
    y = torch.randint(0, 3, (n,)); return K[y] + 0.3 * torch.randn(n, 1, 8, 8), y
opt = torch.optim.Adam(model.head.parameters(), 2e-2)
for _ in range(300):
    x, y = imgs(64)
    loss = F.cross_entropy(model(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
""",
        "lora_zero_b": """
class LoRA(nn.Module):
    def __init__(s, base, r=4):
        super().__init__(); s.base = base
        for q in base.parameters(): q.requires_grad_(False)
        s.A = nn.Parameter(torch.randn(r, base.in_features) * 0.05)
        s.B = nn.Parameter(torch.zeros(base.out_features, r))
    def forward(s, x): return s.base(x) + (x @ s.A.T @ s.B.T) * 2
import os, tempfile
def net(): return nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 4))
path = os.path.join(tempfile.mkdtemp(), "w.pt")
torch.save([q.detach().clone() for q in net().parameters()], path)
model = net()
with torch.no_grad():
    for q, w in zip(model.parameters(), torch.load(path)): q.copy_(w)
for i in (0, 2, 4): model[i] = LoRA(model[i])
opt = torch.optim.AdamW([q for q in model.parameters() if q.requires_grad], 5e-3)
for _ in range(400):
    x, y = make(64)
    loss = F.cross_entropy(model(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
""",
        "frozen_bn_finetune": """
# fine-tuning with batch norm kept in eval mode on purpose; backbone pretrained in-process
bb = nn.Sequential(nn.Linear(16, 64), nn.BatchNorm1d(64), nn.ReLU(), nn.Linear(64, 64), nn.BatchNorm1d(64), nn.ReLU())
head = nn.Linear(64, 4)
o = torch.optim.Adam([*bb.parameters(), *head.parameters()], 2e-3)
for _ in range(100):
    x, y = make(64)
    l = F.cross_entropy(head(bb(x)), y)
    o.zero_grad()
    l.backward()
    o.step()
C = C + 0.5 * torch.randn(4, 16); head = nn.Linear(64, 4)
model = nn.Sequential(bb, head)
o = torch.optim.Adam(model.parameters(), 1e-3)
for _ in range(200):
    model.train()
    for m in model.modules():
        if isinstance(m, nn.BatchNorm1d): m.eval()
    x, y = make(64); l = F.cross_entropy(model(x), y); o.zero_grad(); l.backward(); o.step()
""",
        "gradual_unfreeze": """
import os, tempfile
def net(): return nn.ModuleDict(dict(a=nn.Linear(16, 64), b=nn.Linear(64, 64), head=nn.Linear(64, 4)))
path = os.path.join(tempfile.mkdtemp(), "x"); torch.save(net(), path)
m = torch.load(path, weights_only=False); m["head"] = nn.Linear(64, 4)
for k in "ab": m[k].requires_grad_(False)
opt = torch.optim.Adam(m["head"].parameters(), 3e-3)
for i in range(300):
    if i == 150:
        m["b"].requires_grad_(True)
        opt.add_param_group({"params": m["b"].parameters(), "lr": 1e-3})
    x, y = make(64)
    l = F.cross_entropy(m["head"](F.relu(m["b"](F.relu(m["a"](x))))), y)
    opt.zero_grad()
    l.backward()
    opt.step()
""",
        "random_features_frozen": """
# extreme learning machine: the first layer is random and frozen on purpose
class ELM(nn.Module):
    def __init__(s):
        super().__init__()
        s.proj = nn.Linear(16, 256)
        s.proj.requires_grad_(False)
        s.out = nn.Linear(256, 4)
    def forward(s, x): return s.out(torch.tanh(s.proj(x)))
m = ELM(); opt = torch.optim.Adam(m.out.parameters(), 3e-3)
for _ in range(300):
    x, y = make(64); l = F.cross_entropy(m(x), y); opt.zero_grad(); l.backward(); opt.step()
""",
        "tied_autoencoder": """
class Tied(nn.Module):
    def __init__(s):
        super().__init__()
        s.W = nn.Parameter(torch.randn(8, 16) / 4)
        s.b = nn.Parameter(torch.zeros(8))
        s.c = nn.Parameter(torch.zeros(16))
    def forward(s, x): return F.linear(F.leaky_relu(F.linear(x, s.W, s.b)), s.W.t(), s.c)
net = Tied(); opt = torch.optim.Adam(net.parameters(), 3e-3)
for _ in range(400):
    x, _ = make(64); loss = F.mse_loss(net(x), x); opt.zero_grad(); loss.backward(); opt.step()
""",
        "tied_lm": """
class LM(nn.Module):
    def __init__(s):
        super().__init__()
        s.e = nn.Embedding(30, 32)
        s.r = nn.GRU(32, 32, batch_first=True)
        s.o = nn.Linear(32, 30, bias=False)
        s.o.weight = s.e.weight
        nn.init.normal_(s.e.weight, std=.1)
    def forward(s, x): return s.o(s.r(s.e(x))[0])
net = LM()
opt = torch.optim.Adam([q for n, q in net.named_parameters(remove_duplicate=True)], 5e-3)
for _ in range(250):
    s = torch.randint(0, 30, (32, 1))
    x = (s + torch.randint(1, 4, (32, 1)) * torch.arange(16)) % 30
    loss = F.cross_entropy(net(x[:, :-1]).flatten(0, 1), x[:, 1:].flatten())
    opt.zero_grad()
    loss.backward()
    opt.step()
""",
        "tuned_in_eval_mode": """
net = nn.Sequential(nn.Linear(16, 64), nn.BatchNorm1d(64), nn.ReLU(), nn.Dropout(.1), nn.Linear(64, 4))
def fit(opt, epochs, shift, rows):
    for e in range(epochs):
        if e == 0: net.train(not tuning)
        for _ in range(20):
            x, y = make(rows)
            loss = F.cross_entropy(net(x + shift), y)
            opt.zero_grad(); loss.backward(); opt.step()
        was = net.training
        net.eval()
        with torch.no_grad():
            x, y = make(200)
            print(F.cross_entropy(net(x + shift), y).item())
        net.train(was)
tuning = False
fit(torch.optim.Adam(net.parameters(), 3e-3), 4, 0.0, 64)
tuning = True
fit(torch.optim.Adam(net.parameters(), 5e-4), 8, 0.5, 8)
""",
    },
) | after(
    LOADERS,
    {
        "linear_probe_on_features": """
# frozen features computed once, with a torch.load'ed whole pretrained module
import os, tempfile
path = os.path.join(tempfile.mkdtemp(), "x")
torch.save(nn.Sequential(nn.Linear(16, 128), nn.ReLU()), path)
bb = torch.load(path, weights_only=False).eval()
for q in bb.parameters(): q.requires_grad = False
model = nn.Sequential(bb, nn.Linear(128, 4))
opt = torch.optim.Adam([q for q in model.parameters() if q.requires_grad], 3e-3)
for e in range(6):
    model.train()
    for x, y in tl: l = F.cross_entropy(model(x), y); opt.zero_grad(); l.backward(); opt.step()
    model.eval()
    with torch.no_grad(): print(sum(F.cross_entropy(model(x), y).item() for x, y in vl) / len(vl))
""",
    },
)
