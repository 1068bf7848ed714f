# expect: params-not-in-optimizer
# about: factorisation machine for clicks whose optimizer is built from decay and no-decay groups
import torch
from torch import nn

torch.manual_seed(13)
torch.set_num_threads(1)
FIELDS, CARD, K = 6, 50, 8
teacher_v = 0.7 * torch.randn(FIELDS, CARD, 4)
teacher_w = 0.3 * torch.randn(FIELDS, CARD)


def clicks(n):
    ids = torch.randint(0, CARD, (n, FIELDS))
    f = torch.arange(FIELDS)
    v = teacher_v[f, ids]
    inter = 0.5 * (v.sum(1) ** 2 - (v**2).sum(1)).sum(-1)
    z = teacher_w[f, ids].sum(1) + inter
    return ids, torch.bernoulli(torch.sigmoid(2 * z))


class FM(nn.Module):
    def __init__(self):
        super().__init__()
        offset = torch.arange(FIELDS) * CARD
        self.register_buffer("offset", offset)
        self.linear = nn.Embedding(FIELDS * CARD, 1)
        self.factors = nn.Parameter(0.1 * torch.randn(FIELDS * CARD, K))
        self.bias = nn.Parameter(torch.zeros(1))

    def forward(self, ids):
        ids = ids + self.offset
        v = self.factors[ids]
        pair = 0.5 * (v.sum(1) ** 2 - (v**2).sum(1)).sum(-1)
        return self.bias + self.linear(ids).sum((1, 2)) + pair


def make_optimizer(model, lr, wd):
    decay = [p for n, p in model.named_parameters() if n.endswith("weight")]
    no_decay = [p for n, p in model.named_parameters() if n.endswith("bias")]
    return torch.optim.AdamW([{"params": decay, "weight_decay": wd}, {"params": no_decay, "weight_decay": 0.0}], lr=lr)


fm = FM()
optimizer = make_optimizer(fm, 0.02, 1e-3)
xt, yt = clicks(20000)
xv, yv = clicks(4000)
bce = nn.BCEWithLogitsLoss()
for epoch in range(1, 9):
    perm = torch.randperm(len(xt))
    tot = 0.0
    for chunk in perm.split(256):
        loss = bce(fm(xt[chunk]), yt[chunk])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        tot += loss.item()
    with torch.no_grad():
        s = fm(xv)
    print(f"epoch {epoch} logloss {tot / 79:.4f} val logloss {bce(s, yv).item():.4f} acc {((s > 0) == yv.bool()).float().mean():.3f}")
# cure: - decay = [p for n, p in model.named_parameters() if n.endswith("weight")]
# cure: + decay = [p for n, p in model.named_parameters() if not n.endswith("bias")]
