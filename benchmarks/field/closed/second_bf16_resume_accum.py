# expect: healthy
"""Gradient accumulation, bfloat16 autocast, checkpoint and resume."""
import io
import torch
import torch.nn as nn
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(77)
d = load_digits()
X = torch.tensor(d.data / 8.0 - 1.0, dtype=torch.float32)
y = torch.tensor(d.target)
p = torch.randperm(len(X))
Xtr, ytr, Xva, yva = X[p[:1400]], y[p[:1400]], X[p[1400:]], y[p[1400:]]
ACC = 4


def build():
    m = nn.Sequential(nn.Linear(64, 128), nn.GELU(), nn.LayerNorm(128), nn.Linear(128, 10))
    o = torch.optim.AdamW(m.parameters(), lr=2e-3)
    s = torch.optim.lr_scheduler.LinearLR(o, 1.0, 0.1, total_iters=20)
    return m, o, s


def train(m, o, s, first, last):
    dl = DataLoader(TensorDataset(Xtr, ytr), batch_size=16, shuffle=True)
    for ep in range(first, last):
        m.train()
        o.zero_grad()
        tot = 0
        for i, (xb, yb) in enumerate(dl, 1):
            with torch.autocast("cpu", dtype=torch.bfloat16):
                loss = nn.functional.cross_entropy(m(xb), yb) / ACC
            loss.backward()
            tot += loss.item() * ACC
            if i % ACC == 0 or i == len(dl):
                nn.utils.clip_grad_norm_(m.parameters(), 2.0)
                o.step()
                o.zero_grad()
        s.step()
        m.eval()
        with torch.no_grad():
            out = m(Xva)
        print(f"epoch {ep} train {tot/len(dl):.4f} val {nn.functional.cross_entropy(out, yva):.4f} acc {(out.argmax(1) == yva).float().mean():.4f}")


model, opt, sched = build()
train(model, opt, sched, 0, 8)
buf = io.BytesIO()
torch.save({"model": model.state_dict(), "opt": opt.state_dict(), "sched": sched.state_dict(), "epoch": 8}, buf)

print("--- resuming ---")
buf.seek(0)
ck = torch.load(buf)
model, opt, sched = build()
model.load_state_dict(ck["model"])
opt.load_state_dict(ck["opt"])
sched.load_state_dict(ck["sched"])
train(model, opt, sched, ck["epoch"], 18)
print("logistic regression", LogisticRegression(max_iter=3000).fit(Xtr.numpy(), ytr.numpy()).score(Xva.numpy(), yva.numpy()))
