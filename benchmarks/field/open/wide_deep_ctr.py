# expect: healthy
# about: factorization machine for click prediction; clicks are mostly chance, so log loss hardly leaves the base rate and AUC is what counts
import torch
import torch.nn as nn
from sklearn.metrics import roc_auc_score
from torch.utils.data import DataLoader, TensorDataset

torch.set_num_threads(1)
torch.manual_seed(71)
FIELDS = [50, 30, 12, 7]
n = 16000
cols = torch.stack([torch.randint(0, f, (n,)) for f in FIELDS], 1)
bias = [0.35 * torch.randn(f) for f in FIELDS]
fac = [0.45 * torch.randn(f, 4) for f in FIELDS]
logit = -1.8 + sum(b[cols[:, i]] for i, b in enumerate(bias)) + (fac[0][cols[:, 0]] * fac[1][cols[:, 1]]).sum(1) + (fac[1][cols[:, 1]] * fac[2][cols[:, 2]]).sum(1)
click = torch.bernoulli(torch.sigmoid(logit))


class FM(nn.Module):
    def __init__(self, k=4):
        super().__init__()
        self.w0 = nn.Parameter(torch.tensor(-1.5))
        self.w = nn.ModuleList(nn.Embedding(f, 1) for f in FIELDS)
        self.v = nn.ModuleList(nn.Embedding(f, k) for f in FIELDS)
        for e in self.w:
            nn.init.zeros_(e.weight)
        for e in self.v:
            nn.init.normal_(e.weight, std=0.1)

    def forward(self, x):
        lin = sum(e(x[:, i]) for i, e in enumerate(self.w)).squeeze(1)
        vs = torch.stack([e(x[:, i]) for i, e in enumerate(self.v)], 1)
        pair = 0.5 * (vs.sum(1) ** 2 - (vs ** 2).sum(1)).sum(1)
        return self.w0 + lin + pair


tr, va = slice(0, 13000), slice(13000, n)
dl = DataLoader(TensorDataset(cols[tr], click[tr]), batch_size=256, shuffle=True)
fm = FM()
opt = torch.optim.AdamW(fm.parameters(), lr=1e-2, weight_decay=1e-1)
crit = nn.BCEWithLogitsLoss()
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, 8)
for epoch in range(8):
    run = 0
    for xb, yb in dl:
        opt.zero_grad()
        loss = crit(fm(xb), yb)
        loss.backward()
        opt.step()
        run += loss.item()
    sched.step()
    with torch.no_grad():
        out = fm(cols[va])
    print(f"epoch {epoch} logloss {run / len(dl):.4f} val {crit(out, click[va]).item():.4f} auc {roc_auc_score(click[va], out):.4f}")
print("best possible", crit(logit[va], click[va]).item(), roc_auc_score(click[va], logit[va]))
