# expect: healthy
# about: two phases in one script: GRU language model over alarm sequences without labels, then classifier fine-tuned on 200 labelled sequences with a smaller rate for the body
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(37)
torch.set_num_threads(1)
rng = np.random.default_rng(37)
V, T, KINDS = 16, 18, 4
chains = rng.dirichlet(np.full(V, 0.12), (KINDS, V))


def sequences(n):
    kind = rng.integers(0, KINDS, n)
    seq = np.zeros((n, T), dtype=np.int64)
    seq[:, 0] = rng.integers(0, V, n)
    cdf = chains.cumsum(-1)
    for t in range(1, T):
        seq[:, t] = (rng.random(n)[:, None] > cdf[kind, seq[:, t - 1]]).sum(1).clip(max=V - 1)
    return torch.tensor(seq), torch.tensor(kind)


unlabelled, _ = sequences(3000)
few_x, few_y = sequences(200)
test_x, test_y = sequences(1000)


class Body(nn.Module):
    def __init__(self, d=48):
        super().__init__()
        self.emb, self.gru = nn.Embedding(V, 16), nn.GRU(16, d, batch_first=True)

    def forward(self, x):
        return self.gru(self.emb(x))[0]


body, lm_head = Body(), nn.Linear(48, V)
opt = torch.optim.Adam([*body.parameters(), *lm_head.parameters()], lr=5e-3)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, 10)
for epoch in range(10):
    tot = 0.0
    for b in torch.randperm(3000).split(60):
        s = unlabelled[b]
        loss = F.cross_entropy(lm_head(body(s[:, :-1])).flatten(0, 1), s[:, 1:].flatten())
        opt.zero_grad()
        loss.backward()
        opt.step()
        tot += loss.item() / 50
    sched.step()
    print(f"pretrain {epoch} next-alarm loss {tot:.4f}")


def finetune(trunk, body_lr, label):
    head = nn.Sequential(nn.Dropout(0.2), nn.Linear(48, KINDS))
    opt = torch.optim.AdamW([{"params": trunk.parameters(), "lr": body_lr}, {"params": head.parameters(), "lr": 5e-3}], weight_decay=0.01)
    for epoch in range(15):
        trunk.train(), head.train()
        for b in torch.randperm(200).split(20):
            loss = F.cross_entropy(head(trunk(few_x[b]).mean(1)), few_y[b])
            opt.zero_grad()
            loss.backward()
            opt.step()
        if epoch % 5 == 4:
            trunk.eval(), head.eval()
            with torch.no_grad():
                out = head(trunk(test_x).mean(1))
            print(f"{label} {epoch + 1} train {loss.item():.4f} test {F.cross_entropy(out, test_y).item():.4f} acc {(out.argmax(1) == test_y).float().mean():.4f}")


finetune(body, 5e-4, "finetune")
