"""Ordinary loops: states that are carried on, single samples, sums in place, evaluations in passing, wrappers."""

from __future__ import annotations

from . import DATA, LOADERS, after

PROGRAMS = after(
    DATA,
    {
        "eval_batches_of_one_size": """
X, Y = make(1400)
net = nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Dropout(.2), nn.Linear(64, 4))
opt = torch.optim.Adam(net.parameters(), 2e-3)
def score(x, y):
    net.eval()
    with torch.no_grad():
        value = F.cross_entropy(net(x), y).item()
    net.train()
    return value
for e in range(5):
    seen = 0.0
    for idx in torch.randperm(1000).split(50):
        loss = F.cross_entropy(net(X[idx]), Y[idx])
        opt.zero_grad(); loss.backward(); opt.step()
        seen += score(X[idx], Y[idx])
    held = sum(score(X[i:i+50], Y[i:i+50]) for i in range(1000, 1400, 50)) / 8
    print(seen / 20, held)
""",
        "rnn_stateful": """
V, E = 30, 32
text = torch.zeros(8, 4001, dtype=torch.long)
st = torch.randint(0, V, (8,))
T = torch.rand(V, V).pow(8)
T /= T.sum(1, keepdim=True)
for i in range(4001): text[:, i] = st; st = torch.multinomial(T[st], 1)[:, 0]
emb, rnn, head = nn.Embedding(V, E), nn.LSTM(E, 64, batch_first=True), nn.Linear(64, V)
ps = [*emb.parameters(), *rnn.parameters(), *head.parameters()]
opt = torch.optim.Adam(ps, 3e-3)
for e in range(2):
    h = None
    for i in range(0, 4000, 25):
        x, y = text[:, i:i+25], text[:, i+1:i+26]
        o, h = rnn(emb(x), h); h = tuple(t.detach() for t in h)
        loss = F.cross_entropy(head(o).flatten(0, 1), y.flatten())
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(ps, 1.0)
        opt.step()
""",
        "rnn_stateful_seqfirst": """
# consecutive windows of one series through a DataLoader without shuffle; time first; explicit state carried over
from torch.utils.data import DataLoader, TensorDataset
s = torch.sin(torch.arange(8001) * 0.1) + 0.5 * torch.sin(torch.arange(8001) * 0.037) + 0.05 * torch.randn(8001)
w = s[:8000].view(-1, 20, 1); t = s[1:8001].view(-1, 20, 1)
dl = DataLoader(TensorDataset(w, t), batch_size=20, shuffle=False, drop_last=True)
class Net(nn.Module):
    def __init__(s): super().__init__(); s.rnn = nn.GRU(1, 32); s.out = nn.Linear(32, 1)
    def forward(s, x, h=None): o, h = s.rnn(x, h); return s.out(o), h
net = Net(); opt = torch.optim.Adam(net.parameters(), 3e-3)
for e in range(12):
    h = None
    for x, y in dl:
        # 20 consecutive windows are the batch: (20, 20, 1) either way
        o, h = net(x.transpose(0, 1), h); h = h.detach()
        loss = F.mse_loss(o, y.transpose(0, 1)); opt.zero_grad(); loss.backward(); opt.step()
""",
        "rnn_one_long_series": """
# batch of one: (time, 1, features), sequence carried over, order meant
s = torch.sin(torch.arange(6001) * 0.1)[:, None, None] * torch.tensor([1.0, 0.5]).view(1, 1, 2)
rnn, out = nn.LSTM(2, 32), nn.Linear(32, 2)
opt = torch.optim.Adam([*rnn.parameters(), *out.parameters()], 5e-3)
for e in range(4):
    h = (torch.zeros(1, 1, 32), torch.zeros(1, 1, 32))
    for i in range(0, 6000, 50):
        x, y = s[i:i+50], s[i+1:i+51]
        o, h = rnn(x, h); h = (h[0].detach(), h[1].detach())
        loss = F.mse_loss(out(o), y); opt.zero_grad(); loss.backward(); opt.step()
""",
        "single_sample": """
X, Y = make(600)
net = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 4))
opt = torch.optim.SGD(net.parameters(), 0.01)
for e in range(3):
    for i in torch.randperm(600).tolist():
        loss = F.cross_entropy(net(X[i:i+1]), Y[i:i+1])
        opt.zero_grad()
        loss.backward()
        opt.step()
""",
        "single_sample_unbatched": """
X, Y = make(600)
net = nn.Sequential(nn.Linear(16, 32), nn.Tanh(), nn.Linear(32, 1))
opt = torch.optim.SGD(net.parameters(), 0.02)
w = torch.randn(16) / 4; T = (X @ w)
for e in range(4):
    for i in torch.randperm(600).tolist():
        loss = (net(X[i]).squeeze() - T[i]) ** 2; opt.zero_grad(); loss.backward(); opt.step()
""",
        "loss_terms_inplace": """
net = nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, 4))
opt = torch.optim.Adam(net.parameters(), 2e-3)
for _ in range(300):
    x, y = make(64); loss = F.cross_entropy(net(x), y)
    for q in net.parameters(): loss += 1e-4 * q.pow(2).sum()
    opt.zero_grad(); loss.backward(); opt.step()
""",
        "loss_terms_inplace_zero": """
class MT(nn.Module):
    def __init__(s):
        super().__init__()
        s.t = nn.Sequential(nn.Linear(16, 64), nn.ReLU())
        s.a = nn.Linear(64, 4)
        s.b = nn.Linear(64, 1)
    def forward(s, x): h = s.t(x); return s.a(h), s.b(h).squeeze(1)
net = MT(); opt = torch.optim.Adam(net.parameters(), 2e-3); w = torch.randn(16) / 4
for _ in range(300):
    x, y = make(64); a, b = net(x); loss = torch.zeros(())
    loss += F.cross_entropy(a, y)
    loss += 0.5 * F.mse_loss(b, x @ w)
    loss += 1e-3 * sum(q.abs().sum() for q in net.a.parameters())
    opt.zero_grad(); loss.backward(); opt.step()
""",
        "empty_last_batch": """
X, Y = make(640)
net = nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, 4))
opt = torch.optim.Adam(net.parameters(), 2e-3)
for e in range(15):
    perm = torch.randperm(640)
    for i in range(0, 641, 64):
        idx = perm[i:i+64]; x, y = X[idx], Y[idx]
        out = net(x)
        if len(idx) == 0: continue
        loss = F.cross_entropy(out, y); opt.zero_grad(); loss.backward(); opt.step()
""",
        "eval_each_train_batch": """
# after each step the batch just trained is looked at again in eval mode, then back to train; own split without loaders
X, Y = make(1400)
net = nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Dropout(.2), nn.Linear(64, 4))
opt = torch.optim.Adam(net.parameters(), 2e-3)
for e in range(5):
    for idx in torch.randperm(1000).split(50):
        net.train()
        loss = F.cross_entropy(net(X[idx]), Y[idx])
        opt.zero_grad()
        loss.backward()
        opt.step()
        net.eval()
        with torch.no_grad(): acc = (net(X[idx]).argmax(1) == Y[idx]).float().mean()
    net.eval()
    with torch.no_grad(): print(F.cross_entropy(net(X[1000:]), Y[1000:]).item())
""",
        "maml_like": """
net = nn.Sequential(nn.Linear(1, 40), nn.ReLU(), nn.Linear(40, 1))
opt = torch.optim.Adam(net.parameters(), 1e-3)
from torch.func import functional_call
for _ in range(150):
    opt.zero_grad(); tot = 0
    for _ in range(4):
        a, ph = torch.rand(1) * 4 + .1, torch.rand(1) * 3.14
        x = torch.rand(10, 1) * 10 - 5
        xq = torch.rand(10, 1) * 10 - 5
        w = dict(net.named_parameters())
        l = F.mse_loss(functional_call(net, w, x), a * torch.sin(x + ph))
        g = torch.autograd.grad(l, list(w.values()), create_graph=True)
        w = {k: v - .01 * gg for (k, v), gg in zip(w.items(), g)}
        tot = tot + F.mse_loss(functional_call(net, w, xq), a * torch.sin(xq + ph))
    (tot / 4).backward(); opt.step()
""",
        "cross_validation": """
from torch.utils.data import DataLoader, Subset, TensorDataset
whole = TensorDataset(*make(800)); order = torch.randperm(800)
for k in range(4):
    held, rest = order[k * 200:(k + 1) * 200], torch.cat([order[:k * 200], order[(k + 1) * 200:]])
    net = nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, 4))
    opt = torch.optim.Adam(net.parameters(), 1e-3)
    tl = DataLoader(Subset(whole, rest.tolist()), 32, shuffle=True)
    vl = DataLoader(Subset(whole, held.tolist()), 64)
    for e in range(6):
        net.train()
        for x, y in tl:
            loss = F.cross_entropy(net(x), y)
            opt.zero_grad(); loss.backward(); opt.step()
        net.eval()
        with torch.no_grad():
            print(k, e, sum(F.cross_entropy(net(x), y).item() for x, y in vl) / len(vl))
""",
        "scores_of_both_splits": """
# batches drawn by chance from either split, scored by the same line
X, Y = make(1000); XV, YV = make(300)
net = nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Dropout(.2), nn.Linear(64, 4))
opt = torch.optim.Adam(net.parameters(), 2e-3)
@torch.no_grad()
def estimate():
    net.eval(); out = {}
    for split, (a, b) in {"train": (X, Y), "val": (XV, YV)}.items():
        losses = []
        for _ in range(10):
            i = torch.randint(0, len(a), (50,))
            losses.append(F.cross_entropy(net(a[i]), b[i]).item())
        out[split] = sum(losses) / 10
    net.train()
    return out
for i in range(400):
    if i % 50 == 0: print(i, estimate())
    k = torch.randint(0, 1000, (32,))
    loss = F.cross_entropy(net(X[k]), Y[k])
    opt.zero_grad(); loss.backward(); opt.step()
""",
        "checkpointed_reentrant": """
from torch.utils.checkpoint import checkpoint
class Net(nn.Module):
    def __init__(s):
        super().__init__(); s.a = nn.Linear(16, 64); s.o = nn.Linear(64, 4)
        s.blocks = nn.ModuleList(nn.Sequential(nn.Linear(64, 64), nn.LayerNorm(64), nn.ReLU()) for _ in range(3))
    def forward(s, x):
        x = F.relu(s.a(x))
        for block in s.blocks: x = x + checkpoint(block, x, use_reentrant=True)
        return s.o(x)
net = Net(); opt = torch.optim.AdamW(net.parameters(), 1e-3)
for i in range(300):
    x, y = make(64)
    loss = F.cross_entropy(net(x), y)
    opt.zero_grad(); loss.backward(); opt.step()
""",
        "gradients_divided_by_hand": """
net = nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, 4)); opt = torch.optim.SGD(net.parameters(), 0.1)
for i in range(300):
    opt.zero_grad()
    for k in range(4):
        x, y = make(16)
        F.cross_entropy(net(x), y).backward()
    for p in net.parameters(): p.grad /= 4
    nn.utils.clip_grad_norm_(net.parameters(), 5.0)
    opt.step()
""",
        "second_head_unused": """
class Net(nn.Module):
    def __init__(s):
        super().__init__(); s.body = nn.Sequential(nn.Linear(16, 64), nn.ReLU())
        s.head = nn.Linear(64, 4); s.embed = nn.Linear(64, 16)
    def forward(s, x):
        h = s.body(x)
        return {"logits": s.head(h), "embedding": s.embed(h)}
net = Net(); opt = torch.optim.Adam(net.parameters(), 2e-3)
for i in range(300):
    x, y = make(64)
    out = net(x); extra = 0.0
    loss = F.cross_entropy(out["logits"], y) + extra
    opt.zero_grad(); loss.backward(); opt.step()
""",
        "attack_on_inputs": """
x, y = make(256)
net = nn.Linear(16, 4); net.weight.data.copy_(C / 1.5); net.bias.data.copy_(-.5 * (C * C).sum(1) / 1.5)
net.requires_grad_(False); net.eval()
delta = torch.zeros(256, 16, requires_grad=True); opt = torch.optim.SGD([delta], lr=50.0)
for i in range(60):
    loss = -F.cross_entropy(net(x + delta), y)
    opt.zero_grad(); loss.backward(); opt.step()
    with torch.no_grad(): delta.clamp_(-.3, .3)
""",
    },
) | after(
    LOADERS,
    {
        "eval_without_nograd": """
net = nn.Sequential(nn.Linear(16, 64), nn.BatchNorm1d(64), nn.ReLU(), nn.Dropout(.2), nn.Linear(64, 4))
opt = torch.optim.Adam(net.parameters(), 2e-3)
for e in range(8):
    net.train()
    for x, y in tl: loss = F.cross_entropy(net(x), y); opt.zero_grad(); loss.backward(); opt.step()
    net.eval(); t = c = 0
    for x, y in vl:
        o = net(x)
        t += F.cross_entropy(o, y).item()
        c += (o.argmax(1) == y).sum().item()
    print(t / len(vl), c / 400)
""",
        "eval_train_batches": """
# training accuracy measured in eval mode on training batches, validation likewise
net = nn.Sequential(nn.Linear(16, 64), nn.BatchNorm1d(64), nn.ReLU(), nn.Dropout(.2), nn.Linear(64, 4))
opt = torch.optim.Adam(net.parameters(), 2e-3)
def evaluate(dl):
    net.eval(); t = n = c = 0
    with torch.no_grad():
        for x, y in dl:
            o = net(x)
            t += F.cross_entropy(o, y, reduction="sum").item()
            n += len(y)
            c += (o.argmax(1) == y).sum().item()
    return t / n, c / n
for e in range(8):
    net.train()
    for x, y in tl: loss = F.cross_entropy(net(x), y); opt.zero_grad(); loss.backward(); opt.step()
    print("train", evaluate(tl), "val", evaluate(vl))
""",
        "acc_by_hand_train_mode_fwd": """
# accuracy by hand under no_grad on the training batch, in train mode, model without dropout
net = nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, 4))
opt = torch.optim.Adam(net.parameters(), 2e-3)
for e in range(6):
    for x, y in tl:
        loss = F.cross_entropy(net(x), y); opt.zero_grad(); loss.backward(); opt.step()
        with torch.no_grad(): acc = (net(x).argmax(1) == y).float().mean().item()
    ok = 0
    with torch.no_grad():
        for x, y in vl: ok += (net(x).argmax(1) == y).sum().item()
    print(e, acc, ok / 400)
""",
        "ddp_wrapper_flag": """
import torch.distributed as dist, os, tempfile
dist.init_process_group("gloo", init_method="file://" + tempfile.mktemp(), rank=0, world_size=1)
model = nn.Sequential(nn.Linear(16, 64), nn.BatchNorm1d(64), nn.ReLU(), nn.Dropout(0.2), nn.Linear(64, 4))
ddp = nn.parallel.DistributedDataParallel(model)
opt = torch.optim.Adam(model.parameters(), 2e-3)
for e in range(6):
    ddp.eval() if e else None
    model.train()
    for x, y in tl:
        loss = F.cross_entropy(ddp(x), y); opt.zero_grad(); loss.backward(); opt.step()
    model.eval()
    with torch.no_grad():
        print(sum(F.cross_entropy(model(x), y).item() for x, y in vl) / len(vl))
dist.destroy_process_group()
""",
        "fsdp2": """
import torch.distributed as dist, os, tempfile
from torch.distributed.fsdp import fully_shard
from torch.distributed.device_mesh import init_device_mesh
os.environ.update(RANK="0", WORLD_SIZE="1", MASTER_ADDR="127.0.0.1", MASTER_PORT="29617", LOCAL_RANK="0")
dist.init_process_group("gloo")
mesh = init_device_mesh("cpu", (1,))
model = nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 4))
for m in model:
    if isinstance(m, nn.Linear): fully_shard(m, mesh=mesh)
fully_shard(model, mesh=mesh)
opt = torch.optim.AdamW(model.parameters(), 3e-3)
for e in range(5):
    model.train()
    for x, y in tl:
        loss = F.cross_entropy(model(x), y); loss.backward(); opt.step(); opt.zero_grad()
dist.destroy_process_group()
""",
    },
)
