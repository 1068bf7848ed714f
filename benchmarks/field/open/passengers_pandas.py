# expect: healthy
# about: kaggle-style survival table with pandas, missing ages imputed, categorical embeddings; half of the outcome is luck
import numpy as np
import pandas as pd
import torch
import torch.nn as nn
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split

torch.set_num_threads(1)
SEED = 42
np.random.seed(SEED)
torch.manual_seed(SEED)
n = 2400
df = pd.DataFrame({
    "pclass": np.random.choice(["1st", "2nd", "3rd"], n, p=[0.25, 0.2, 0.55]),
    "sex": np.random.choice(["male", "female"], n, p=[0.64, 0.36]),
    "age": np.random.gamma(5, 6, n).clip(0.5, 80).round(1),
    "sibsp": np.random.poisson(0.5, n),
    "embarked": np.random.choice(["S", "C", "Q"], n, p=[0.7, 0.2, 0.1]),
})
df["fare"] = np.exp(np.random.normal(0, 0.5, n)) * df.pclass.map({"1st": 60, "2nd": 20, "3rd": 9})
logit = (
    2.4 * (df.sex == "female") - 1.1 * (df.pclass == "3rd") * (1 + 0.8 * (df.sex == "female")) + 0.8 * (df.pclass == "1st")
    + 1.6 * (df.age < 10) - 0.02 * (df.age - 30) - 0.3 * (df.sibsp > 2) - 0.9
)
p_true = 1 / (1 + np.exp(-logit))
df["survived"] = (np.random.rand(n) < p_true).astype(int)
df.loc[np.random.rand(n) < 0.2, "age"] = np.nan

tr, te = train_test_split(df, test_size=0.3, random_state=SEED, stratify=df.survived)
med, cats, nums = tr.age.median(), ["pclass", "sex", "embarked"], ["age", "sibsp", "logfare", "age_missing"]
levels = {c: {v: i for i, v in enumerate(sorted(tr[c].unique()))} for c in cats}


def features(d):
    d = d.copy()
    d["age_missing"] = d.age.isna().astype(float)
    d["age"] = d.age.fillna(med)
    d["logfare"] = np.log1p(d.fare)
    return torch.tensor(np.stack([d[c].map(levels[c]) for c in cats], 1)), d[nums].to_numpy(np.float32), torch.tensor(d.survived.to_numpy(), dtype=torch.float32)


ctr, ntr, ytr = features(tr)
cte, nte, yte = features(te)
mu, sd = ntr.mean(0), ntr.std(0)
ntr, nte = torch.tensor((ntr - mu) / sd), torch.tensor((nte - mu) / sd)


class TabNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.ModuleList(nn.Embedding(len(levels[c]), 2) for c in cats)
        self.body = nn.Sequential(nn.Linear(2 * len(cats) + len(nums), 24), nn.ReLU(), nn.Dropout(0.2), nn.Linear(24, 12), nn.ReLU(), nn.Linear(12, 1))

    def forward(self, c, x):
        return self.body(torch.cat([e(c[:, i]) for i, e in enumerate(self.emb)] + [x], 1)).squeeze(1)


net = TabNet()
opt = torch.optim.Adam(net.parameters(), lr=3e-3)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, 18)
lossf = nn.BCEWithLogitsLoss()
for ep in range(18):
    net.train()
    perm, tot = torch.randperm(len(ytr)), 0.0
    for i in range(0, len(perm), 64):
        b = perm[i:i + 64]
        opt.zero_grad()
        l = lossf(net(ctr[b], ntr[b]), ytr[b])
        l.backward()
        opt.step()
        tot += l.item() * len(b)
    sched.step()
    net.eval()
    with torch.no_grad():
        z = net(cte, nte)
    print(f"epoch {ep:02d} logloss {tot / len(ytr):.4f} holdout {lossf(z, yte):.4f} acc {((z > 0) == (yte > 0.5)).float().mean():.4f}")
lin = LogisticRegression(max_iter=500).fit(np.hstack([ctr.numpy(), ntr.numpy()]), ytr.numpy())
print("logistic regression acc", round(lin.score(np.hstack([cte.numpy(), nte.numpy()]), yte.numpy()), 4),
      "| knowing the true odds", round(float(((p_true[te.index] > 0.5) == te.survived).mean()), 4), "| majority", round(float(1 - te.survived.mean()), 4))
