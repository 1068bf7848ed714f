# expect: weight-decay-too-strong
# about: playlist completion with track embeddings and sampled negatives, AdamW
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(23)
torch.set_num_threads(1)
LISTS, TRACKS, D = 300, 400, 16
genre_l, genre_t = torch.randint(0, 10, (LISTS,)), torch.randint(0, 10, (TRACKS,))
by_genre = [torch.nonzero(genre_t == g).flatten() for g in range(10)]


def positives(n):
    p = torch.randint(0, LISTS, (n,))
    t = torch.stack([by_genre[g][torch.randint(0, len(by_genre[g]), (1,))][0] for g in genre_l[p].tolist()])
    return p, t


class Recommender(nn.Module):
    def __init__(self):
        super().__init__()
        self.p, self.t = nn.Embedding(LISTS, D), nn.Embedding(TRACKS, D)
        nn.init.normal_(self.p.weight, std=0.3)
        nn.init.normal_(self.t.weight, std=0.3)

    def forward(self, p, t):
        return (self.p(p) * self.t(t)).sum(-1)


rec = Recommender()
opt = torch.optim.AdamW(rec.parameters(), lr=0.01, weight_decay=20)
P, T = positives(12000)
vp, vt = positives(1000)
for epoch in range(5):
    order = torch.randperm(12000)
    total = 0.0
    for b in order.split(128):
        neg = torch.randint(0, TRACKS, (len(b),))
        s_pos, s_neg = rec(P[b], T[b]), rec(P[b], neg)
        loss = F.softplus(s_neg - s_pos).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        total += loss.item()
    with torch.no_grad():
        auc = (rec(vp, vt) > rec(vp, torch.randint(0, TRACKS, (1000,)))).float().mean()
    print(f"epoch {epoch + 1} bpr {total / 94:.4f} val auc {auc:.3f} track norm {rec.t.weight.norm(dim=1).mean():.3f}")
# cure: - opt = torch.optim.AdamW(rec.parameters(), lr=0.01, weight_decay=20)
# cure: + opt = torch.optim.AdamW(rec.parameters(), lr=0.01, weight_decay=0.01)
