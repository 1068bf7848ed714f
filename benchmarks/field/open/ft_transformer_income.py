# expect: healthy
# about: FT-Transformer on a mixed table: each column becomes a token, CLS readout, AdamW without decay on biases and norms
import numpy as np
import torch
import torch.nn as nn
from sklearn.ensemble import HistGradientBoostingClassifier

torch.manual_seed(23)
torch.set_num_threads(1)
rng = np.random.default_rng(23)
n = 5000
age, hours, edu = rng.uniform(18, 70, n), rng.normal(40, 10, n), rng.integers(0, 8, n)
sector, married, capital = rng.integers(0, 6, n), rng.integers(0, 2, n), rng.exponential(1, n)
pay = np.array([-0.8, 0.2, 0.6, -0.3, 0.9, 0.0])
logit = 1.2 * np.sin((age - 20) / 16) + 0.05 * (hours - 40) * (edu > 3) + 0.45 * (edu - 3.5) + pay[sector] + 0.9 * married * (age > 30) + 0.5 * np.log1p(capital) - 1.4
y = (rng.random(n) < 1 / (1 + np.exp(-1.6 * logit))).astype(np.int64)
num = np.stack([age, hours, np.log1p(capital)], 1)
cat = np.stack([edu, sector, married], 1)
num = (num - num[:4000].mean(0)) / num[:4000].std(0)
num, cat, y = torch.tensor(num).float(), torch.tensor(cat), torch.tensor(y)


class FTTransformer(nn.Module):
    def __init__(self, n_num=3, cards=(8, 6, 2), d=24):
        super().__init__()
        self.w, self.b = nn.Parameter(torch.randn(n_num, d) * 0.3), nn.Parameter(torch.zeros(n_num, d))
        self.cats = nn.ModuleList([nn.Embedding(c, d) for c in cards])
        for e in self.cats:
            nn.init.normal_(e.weight, std=0.3)
        self.cls = nn.Parameter(torch.zeros(1, 1, d))
        layer = nn.TransformerEncoderLayer(d, 4, 48, dropout=0.1, activation="gelu", batch_first=True, norm_first=True)
        self.enc = nn.TransformerEncoder(layer, 2, norm=nn.LayerNorm(d), enable_nested_tensor=False)
        self.head = nn.Linear(d, 2)

    def forward(self, xn, xc):
        tok = [self.cls.expand(len(xn), -1, -1), xn[..., None] * self.w + self.b]
        tok += [e(xc[:, i])[:, None] for i, e in enumerate(self.cats)]
        return self.head(self.enc(torch.cat(tok, 1))[:, 0])


model = FTTransformer()
decay = [p for k, p in model.named_parameters() if p.ndim > 1 and "norm" not in k]
rest = [p for k, p in model.named_parameters() if not (p.ndim > 1 and "norm" not in k)]
opt = torch.optim.AdamW([{"params": decay, "weight_decay": 0.02}, {"params": rest, "weight_decay": 0.0}], lr=2e-3)
EPOCHS, BS = 6, 100
sched = torch.optim.lr_scheduler.OneCycleLR(opt, 2e-3, total_steps=EPOCHS * 4000 // BS, pct_start=0.15)
ce = nn.CrossEntropyLoss()
for ep in range(EPOCHS):
    model.train()
    s = 0.0
    for i in torch.randperm(4000).split(BS):
        loss = ce(model(num[i], cat[i]), y[i])
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        opt.step()
        sched.step()
        s += loss.item() * len(i) / 4000
    model.eval()
    with torch.no_grad():
        out = model(num[4000:], cat[4000:])
    print(f"epoch {ep + 1} train {s:.4f} val {ce(out, y[4000:]).item():.4f} acc {(out.argmax(1) == y[4000:]).float().mean():.4f}")
table = np.concatenate([num.numpy(), cat.numpy()], 1)
print(f"boosted trees acc {HistGradientBoostingClassifier(max_iter=80, learning_rate=0.08).fit(table[:4000], y[:4000]).score(table[4000:], y[4000:]):.4f}")
