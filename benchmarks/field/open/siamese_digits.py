# expect: healthy
# about: siamese network with contrastive loss on digit pairs
import random
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits
from torch.utils.data import DataLoader, Dataset

torch.manual_seed(0); random.seed(0)
torch.set_num_threads(1)
digits = load_digits()
IMGS = torch.tensor(digits.data).float() / 16
LABELS = digits.target


class PairDataset(Dataset):
    def __init__(self, lo, hi):
        self.by_class = {c: [i for i in range(lo, hi) if LABELS[i] == c] for c in range(10)}
        self.lo, self.hi = lo, hi

    def __len__(self):
        return self.hi - self.lo

    def __getitem__(self, i):
        i = i + self.lo
        same = random.random() < 0.5
        c = LABELS[i] if same else random.choice([k for k in range(10) if k != LABELS[i]])
        j = random.choice(self.by_class[c])
        return IMGS[i], IMGS[j], torch.tensor(0.0 if same else 1.0)


class ContrastiveLoss(nn.Module):
    def __init__(self, margin=1.0):
        super().__init__()
        self.margin = margin

    def forward(self, a, b, label):
        d = F.pairwise_distance(a, b)
        return torch.mean((1 - label) * d.pow(2) + label * torch.clamp(self.margin - d, min=0.0).pow(2))


enc = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 64), nn.ReLU(), nn.Linear(64, 16))
crit = ContrastiveLoss()
opt = torch.optim.Adam(enc.parameters(), lr=1e-3)
train, test = DataLoader(PairDataset(0, 1400), batch_size=64, shuffle=True), DataLoader(PairDataset(1400, 1797), batch_size=64)
for epoch in range(25):
    s = 0
    enc.train()
    for a, b, l in train:
        opt.zero_grad()
        loss = crit(enc(a), enc(b), l)
        loss.backward()
        opt.step()
        s += loss.item()
    enc.eval()
    ok = n = v = 0
    with torch.no_grad():
        for a, b, l in test:
            ea, eb = enc(a), enc(b)
            v += crit(ea, eb, l).item() * len(l)
            ok += ((F.pairwise_distance(ea, eb) > 0.5).float() == l).sum().item()
            n += len(l)
    print(f"Epoch {epoch} contrastive {s/len(train):.4f} test {v/n:.4f} pair-acc {ok/n:.3f}")
